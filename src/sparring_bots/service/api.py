"""The order API over HTTP: endpoints that enforce the policy, and a server for them."""

import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import Field
from starlette.exceptions import HTTPException

from sparring.core.value import Value
from sparring_bots.service.orders import Order, OrderRecord, Status, Tracking, UtcTime
from sparring_bots.service.policy import HTTP, Code, Details, Policy, Refusal, Refused, refusal
from sparring_bots.service.shop import Shop
from sparring_bots.serving import cannot_listen

_Id = Annotated[str, Field(min_length=1, max_length=64)]


class CancellationRequest(Value):
    """Customer and reason of a cancellation."""

    customer_id: _Id
    reason: Annotated[str, Field(max_length=500)] = ""


class Cancellation(Value):
    """A cancelled order."""

    order_id: str
    status: Status
    cancelled_at: UtcTime
    message: str


def application(shop: Shop | None = None) -> FastAPI:
    """Create the API. Without `shop`, each request provides its own as the state `shop`."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Shop]]:
        yield {} if shop is None else {"shop": shop}

    app = FastAPI(
        title="Orders",
        version="1",
        description="Look up, track and cancel orders of a sample shop.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_endpoints(app)
    app.add_exception_handler(Refused, _handle_refused)
    app.add_exception_handler(RequestValidationError, _handle_invalid)
    app.add_exception_handler(HTTPException, _handle_http_error)
    return app


async def _shop(request: Request) -> Shop:
    shop: Shop = request.state.shop
    return shop


_Shop = Annotated[Shop, Depends(_shop)]
_OrderId = Annotated[str, Path(description="such as ORD-001")]
_CallerId = Annotated[str | None, Header(description="Customer who calls; orders of other customers are refused.")]


def _responses(*codes: Code) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of an endpoint for OpenAPI, by status with their codes."""
    statuses = sorted({HTTP[code] for code in codes})
    return {
        status: {"model": Refusal, "description": ", ".join(code for code in codes if HTTP[code] == status)}
        for status in statuses
    }


_READ_CODES = (Code.ORDER_NOT_FOUND, Code.NOT_OWNER, Code.MALFORMED)
_CANCEL_CODES = (
    *_READ_CODES,
    Code.ALREADY_CANCELLED,
    Code.ALREADY_DELIVERED,
    Code.OUTSIDE_WINDOW,
    Code.ORDER_DATE_IN_FUTURE,
)


def _add_endpoints(app: FastAPI) -> None:
    # The endpoints never wait, so each runs atomically. Non-async ones would run in threads, which cost more.
    @app.get("/orders/{order_id}", responses=_responses(*_READ_CODES))
    async def order(order_id: _OrderId, shop: _Shop, x_customer_id: _CallerId = None) -> Order:
        """Return an order."""
        return _find_order(shop, order_id, x_customer_id).order

    @app.get("/orders/{order_id}/tracking", responses=_responses(*_READ_CODES))
    async def tracking(order_id: _OrderId, shop: _Shop, x_customer_id: _CallerId = None) -> Tracking:
        """Return the tracking data of an order."""
        return _find_order(shop, order_id, x_customer_id).tracking

    @app.post("/orders/{order_id}/cancel", responses=_responses(*_CANCEL_CODES))
    async def cancel(
        order_id: _OrderId, cancelling: CancellationRequest, shop: _Shop, x_customer_id: _CallerId = None
    ) -> Cancellation:
        """Cancel an order, if the policy allows it."""
        if x_customer_id is not None and x_customer_id != cancelling.customer_id:
            raise Refused(_not_owner())
        return _cancel(shop, order_id, cancelling)

    @app.get("/policy")
    async def policy(shop: _Shop) -> Policy:
        """Return the cancellation policy."""
        return shop.policy

    @app.get(
        "/customers/{customer_id}/orders",
        responses=_responses(Code.CUSTOMER_NOT_FOUND, Code.NOT_OWNER, Code.MALFORMED),
    )
    async def orders(
        customer_id: Annotated[str, Path(description="such as CUST-001")], shop: _Shop, x_customer_id: _CallerId = None
    ) -> tuple[Order, ...]:
        """Return the orders of a customer, possibly none."""
        if not shop.open_to_all and x_customer_id not in (None, customer_id):
            raise Refused(_not_owner())
        if not shop.book.has_customer(customer_id):
            raise Refused(refusal(Code.CUSTOMER_NOT_FOUND, "There is no such customer."))
        return shop.book.orders(customer_id)


def _find_order(shop: Shop, order_id: str, caller: str | None) -> OrderRecord:
    found = shop.book.find(order_id)
    if found is None:
        raise Refused(refusal(Code.ORDER_NOT_FOUND, "There is no such order."))
    if not shop.open_to_all and caller not in (None, found.order.customer_id):
        raise Refused(_not_owner())
    return found


def _not_owner() -> Refusal:
    return refusal(Code.NOT_OWNER, "This belongs to another customer.")


def _cancel(shop: Shop, order_id: str, cancelling: CancellationRequest) -> Cancellation:
    while True:
        found = shop.book.find(order_id)
        order = None if found is None else found.order
        now = shop.now()
        decision = shop.decide(order, cancelling.customer_id, now, shop.policy)
        if order is None or decision.code is not None:
            code = decision.code or Code.ORDER_NOT_FOUND
            raise Refused(Refusal(code=code, message=decision.reason, details=decision.details))
        if shop.book.cancel(order_id, order.status, now, cancelling.reason):
            return Cancellation(
                order_id=order_id,
                status=Status.CANCELLED,
                cancelled_at=now,
                message=f"Order {order_id} is cancelled; {order.total_amount} {order.currency} will be refunded.",
            )
        # Another request changed the order meanwhile, so decide again.


async def _handle_refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _error_response(error.refusal)


async def _handle_invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _error_response(
        Refusal(
            code=Code.MALFORMED,
            message="The request cannot be understood.",
            details=Details(violations=(Code.MALFORMED,), problems=tuple(_problems(error.errors()))),
        )
    )


def _problems(errors: Iterable[Any]) -> list[str]:
    """Return problems with their places, without the invalid values."""
    return [
        f"{'.'.join(map(str, each['loc']))}: {each['msg']}"[:200].encode("utf-8", "replace").decode() for each in errors
    ]


async def _handle_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = Code.METHOD_NOT_ALLOWED if error.status_code == 405 else Code.NO_SUCH_PATH
    if error.status_code not in (404, 405):
        code = Code.MALFORMED
    return _error_response(refusal(code, str(error.detail)), headers=dict(error.headers or {}))


def _error_response(refused: Refusal, headers: dict[str, str] | None = None) -> Response:
    body = refused.model_dump_json(exclude_none=True)
    return Response(body, HTTP[refused.code], headers, media_type="application/json")


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raise `InputError` if the address cannot be used."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise cannot_listen(host, port, error) from error


def serve(shop: Shop, line: socket.socket, ready: Callable[[], None]) -> None:
    """Serve the orders of `shop` until interrupted or terminated.

    Calls `ready` when the server accepts requests.
    """
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    config = uvicorn.Config(application(shop), log_level="warning", access_log=False, timeout_graceful_shutdown=1)
    Server(config).run(sockets=[line])
