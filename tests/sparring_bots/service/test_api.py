"""The order API: every endpoint, and every code of its table."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import orjson
import pytest
from fastapi import FastAPI

from sparring.core.value import Json
from sparring_bots.service.client import InProcessTransport
from sparring_bots.service.orders import Status
from sparring_bots.service.policy import HTTP, Code
from sparring_bots.service.shop import Shop, sample_orders

Ask = Callable[..., Awaitable[tuple[int, Json]]]


@pytest.fixture
def ask(app: FastAPI, shop: Shop) -> Ask:
    async def ask(method: str, path: str, body: object = None, **headers: str) -> tuple[int, Json]:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        content = None if body is None else body if isinstance(body, bytes) else orjson.dumps(body)
        if content is not None:
            names.setdefault("content-type", "application/json")
        answer = await InProcessTransport(app, {"shop": shop}).send(
            method, f"http://shop{path}", headers=names, body=content
        )
        return answer.status, orjson.loads(answer.body)

    return ask


async def test_an_order(ask: Ask):
    assert await ask("GET", "/orders/ORD-001") == (
        200,
        {
            "order_id": "ORD-001",
            "customer_id": "CUST-001",
            "order_date": "2026-01-12T10:00:00Z",
            "status": "processing",
            "items": [
                {"name": "Desk lamp", "quantity": 1, "price": "39.90"},
                {"name": "Light bulb", "quantity": 2, "price": "4.50"},
            ],
            "total_amount": "48.90",
            "currency": "USD",
            "shipping_address": "1 Sample Street, Springfield",
            "note": "",
            "cancelled_at": None,
        },
    )


async def test_an_order_is_tracked(ask: Ask):
    assert await ask("GET", "/orders/ORD-002/tracking") == (
        200,
        {
            "order_id": "ORD-002",
            "status": "shipped",
            "tracking_number": "TRK-7710-0002",
            "estimated_delivery": "2026-01-17",
            "last_update": "2026-01-12T23:30:00Z",
        },
    )


async def test_the_orders_of_a_customer_which_may_be_none(ask: Ask):
    _, orders = await ask("GET", "/customers/CUST-001/orders")

    assert [order["order_id"] for order in orders] == ["ORD-001", "ORD-002", "ORD-003", "ORD-004"]
    assert await ask("GET", "/customers/CUST-006/orders") == (200, [])


async def test_cancelling_changes_the_order_and_where_it_is(ask: Ask):
    done = await ask("POST", "/orders/ORD-001/cancel", {"customer_id": "CUST-001", "reason": "twice"})

    assert done == (
        200,
        {
            "order_id": "ORD-001",
            "status": "cancelled",
            "cancelled_at": "2026-01-15T12:00:00Z",
            "message": "Order ORD-001 is cancelled; 48.90 USD will be refunded.",
        },
    )
    _, order = await ask("GET", "/orders/ORD-001")
    _, tracking = await ask("GET", "/orders/ORD-001/tracking")
    assert (order["status"], order["cancelled_at"]) == ("cancelled", "2026-01-15T12:00:00Z")
    assert (tracking["status"], tracking["estimated_delivery"]) == ("cancelled", None)


async def test_a_second_cancellation_is_refused_and_changes_nothing(ask: Ask, shop: Shop):
    await ask("POST", "/orders/ORD-001/cancel", {"customer_id": "CUST-001"})
    before = shop.book.orders()

    assert await ask("POST", "/orders/ORD-001/cancel", {"customer_id": "CUST-001"}) == (
        409,
        {
            "code": "already_cancelled",
            "message": "It is cancelled already.",
            "details": {
                "violations": ["already_cancelled"],
                "days_old": 3,
                "window_days": 10,
                "status": "cancelled",
                "problems": [],
            },
        },
    )
    assert shop.book.orders() == before


BODY = {"customer_id": "CUST-001"}
REFUSED = [
    (Code.ORDER_NOT_FOUND, "GET", "/orders/ORD-999", None, {}),
    (Code.ORDER_NOT_FOUND, "GET", "/orders/ORD-999/tracking", None, {}),
    (Code.ORDER_NOT_FOUND, "POST", "/orders/ORD-999/cancel", BODY, {}),
    (Code.CUSTOMER_NOT_FOUND, "GET", "/customers/CUST-999/orders", None, {}),
    (Code.NOT_OWNER, "GET", "/orders/ORD-001", None, {"x_customer_id": "CUST-002"}),
    (Code.NOT_OWNER, "GET", "/orders/ORD-001/tracking", None, {"x_customer_id": "CUST-002"}),
    (Code.NOT_OWNER, "GET", "/customers/CUST-001/orders", None, {"x_customer_id": "CUST-002"}),
    (Code.NOT_OWNER, "POST", "/orders/ORD-011/cancel", BODY, {}),
    (Code.NOT_OWNER, "POST", "/orders/ORD-001/cancel", BODY, {"x_customer_id": "CUST-002"}),
    (Code.ALREADY_CANCELLED, "POST", "/orders/ORD-004/cancel", BODY, {}),
    (Code.ALREADY_CANCELLED, "POST", "/orders/ORD-013/cancel", {"customer_id": "CUST-004"}, {}),
    (Code.ALREADY_DELIVERED, "POST", "/orders/ORD-003/cancel", BODY, {}),
    (Code.ALREADY_DELIVERED, "POST", "/orders/ORD-012/cancel", {"customer_id": "CUST-004"}, {}),
    (Code.OUTSIDE_WINDOW, "POST", "/orders/ORD-007/cancel", {"customer_id": "CUST-002"}, {}),
    (Code.OUTSIDE_WINDOW, "POST", "/orders/ORD-008/cancel", {"customer_id": "CUST-003"}, {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", {}, {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", {"customer_id": ""}, {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", {**BODY, "admin": True}, {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", {**BODY, "reason": "x" * 501}, {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", b"{", {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", b'{"customer_id": "\xff"}', {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", b'{"customer_id": "\\ud800"}', {}),
    (Code.MALFORMED, "POST", "/orders/ORD-001/cancel", b'{"customer_id": "CUST-001"}', {"content_type": "text/plain"}),
    (Code.NO_SUCH_PATH, "GET", "/orders", None, {}),
    (Code.METHOD_NOT_ALLOWED, "DELETE", "/orders/ORD-001", None, {}),
]


@pytest.mark.parametrize(("code", "method", "path", "body", "headers"), REFUSED)
async def test_a_refusal_has_its_status_its_code_and_changes_nothing(
    ask: Ask, shop: Shop, code: Code, method: str, path: str, body: object, headers: dict[str, str]
):
    before = shop.book.orders()

    status, told = await ask(method, path, body, **headers)

    assert (status, told["code"]) == (HTTP[code], code)
    assert set(told) == {"code", "message", "details"}
    assert told["message"]
    assert shop.book.orders() == before


async def test_an_order_from_the_future_is_refused(ask: Ask, shop: Shop):
    stored = sample_orders(shop.now() + timedelta(days=40))[5]
    order = stored.order.model_copy(update={"order_id": "ORD-100", "status": Status.PENDING})
    shop.book.fill({}, [stored.model_copy(update={"order": order})])

    status, told = await ask("POST", "/orders/ORD-100/cancel", {"customer_id": "CUST-002"})

    assert (status, told["code"]) == (409, "order_date_in_future")


def test_every_code_of_the_table_is_tried_here():
    assert {row[0] for row in REFUSED} | {Code.ORDER_DATE_IN_FUTURE} == set(Code) == set(HTTP)


async def test_orders_of_other_customers_are_refused_without_details(ask: Ask):
    _, told = await ask("GET", "/orders/ORD-011", x_customer_id="CUST-001")

    assert told == {
        "code": "not_owner",
        "message": "This belongs to another customer.",
        "details": {"violations": ["not_owner"], "problems": []},
    }


async def test_all_violations_are_listed_for_the_owner(ask: Ask):
    _, told = await ask("POST", "/orders/ORD-013/cancel", {"customer_id": "CUST-004"})

    assert told["details"]["violations"] == ["already_cancelled", "outside_window"]


def test_the_open_api_document_names_every_code_where_it_occurs(app: FastAPI):
    paths = app.openapi()["paths"]

    documented = {
        f"{method} {path}": {status: answer["description"] for status, answer in each["responses"].items()}
        for path, methods in paths.items()
        for method, each in methods.items()
    }
    reading = {
        "200": "Successful Response",
        "403": "not_owner",
        "404": "order_not_found",
        "422": "malformed",
    }
    assert documented == {
        "get /orders/{order_id}": reading,
        "get /orders/{order_id}/tracking": reading,
        "post /orders/{order_id}/cancel": {
            **reading,
            "409": "already_cancelled, already_delivered, outside_window, order_date_in_future",
        },
        "get /customers/{customer_id}/orders": {**reading, "404": "customer_not_found"},
        "get /policy": {"200": "Successful Response"},
    }
