"""What a live chat with the customer service can ask for besides talking."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sparring.core.case import Case
from sparring.core.message import message
from sparring.llm.plugin_context import PluginContext
from sparring_bots.service import chatbot
from sparring_bots.service.session import ServiceSession


@pytest.fixture
async def session(offline: PluginContext) -> AsyncIterator[ServiceSession]:
    async with chatbot("customer=CUST-001", offline).connect(Case(id="chat")) as session:
        yield session


async def asked(session: ServiceSession, line: str) -> str:
    name, _, rest = line.removeprefix("/").partition(" ")
    return await session.commands()[name](rest)


async def cancel(session: ServiceSession) -> None:
    await session.reply(message("user", "Cancel ORD-001"))


async def test_the_database_shows_all_orders_with_their_eligibility(session: ServiceSession):
    await cancel(session)

    lines = (await asked(session, "/database")).splitlines()

    assert len(lines) == 15
    assert lines[0].split() == "ORD-001 CUST-001 2026-01-12 3 days cancelled 48.90 USD already_cancelled".split()
    assert lines[1].endswith("can be cancelled")
    assert lines[6].endswith("outside_window")


async def test_the_orders_of_one_customer(session: ServiceSession):
    listed = await asked(session, "/orders CUST-002")

    assert [line.split()[0] for line in listed.splitlines()] == ["ORD-005", "ORD-006", "ORD-007"]
    assert await asked(session, "/orders CUST-006") == "CUST-006 has no orders."
    assert await asked(session, "/orders CUST-999") == "There is no such customer."
    assert await asked(session, "/orders") == "Customer missing. Example: /orders CUST-001"


async def test_one_order_with_its_eligibility(session: ServiceSession):
    shown = await asked(session, "/order ORD-011")

    assert shown.splitlines() == [
        "order_id: ORD-011",
        "customer_id: CUST-004",
        "order_date: 2026-01-13T12:00:00Z",
        "status: shipped",
        "total_amount: 49.80",
        "currency: USD",
        "shipping_address: 44 Pattern Avenue, Lakeside",
        "items: 2 × Board game at 24.90",
        "tracking_number: TRK-7710-0011",
        "estimated_delivery: 2026-01-17",
        "last_update: 2026-01-14 12:00:00+00:00",
        "cancelling: It was placed 2 days ago, and cancelling is possible for 10 days. It is in transit already.",
    ]
    assert await asked(session, "/order ORD-999") == "There is no such order."
    assert await asked(session, "/order") == "Order missing. Example: /order ORD-001"


async def test_the_figures(session: ServiceSession):
    await cancel(session)
    await session.reply(message("user", "Hello"))

    lines = (await asked(session, "/metrics")).splitlines()

    assert {"replies: 2", "tool_calls: 3", "tokens: 0", "hit_round_limit: 0", "process_violations: none"} <= {*lines}


async def test_a_reset_brings_back_the_orders_the_figures_and_the_beginning(session: ServiceSession):
    before = await asked(session, "/database"), await asked(session, "/metrics")
    await session.reply(message("user", "Can I cancel ORD-002?"))
    await cancel(session)

    said = await asked(session, "/reset")

    assert said == "The conversation, its metrics and the orders are reset."
    assert (await asked(session, "/database"), await asked(session, "/metrics")) == before
    assert (await session.reply(message("user", "yes"))).text.startswith("What would you like me to do?")


async def test_an_export_has_the_conversation_the_figures_the_tools_and_what_changed(
    session: ServiceSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    await cancel(session)

    said = [await asked(session, "/export") for _ in range(2)]

    paths = [tmp_path / "service-20260102T000000Z.json", tmp_path / "service-20260102T000000Z-2.json"]
    assert said == [f"Written to {path}" for path in paths]
    written = json.loads(paths[0].read_bytes())
    assert written["messages"][0] == {"role": "user", "text": "Cancel ORD-001"}
    assert [call["name"] for call in written["tool_log"]] == [
        "validate_customer_ownership",
        "check_cancellation_policy",
        "cancel_order",
    ]
    assert written["metrics"]["tool_calls"] == 3
    assert written["orders_changed"] == [
        {
            "order_id": "ORD-001",
            "changed": {
                "status": {"before": "processing", "after": "cancelled"},
                "cancelled_at": {"before": None, "after": "2026-01-15T12:00:00Z"},
            },
        }
    ]
    assert (written["customer_id"], written["verified"], written["process_violations"]) == ("CUST-001", True, [])


async def test_an_export_that_cannot_be_written_says_so(
    session: ServiceSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    said = await asked(session, "/export")

    assert said == "Cannot write to the current folder: No such file or directory."


def test_every_command_says_what_it_does(session: ServiceSession):
    told = {name: (command.__doc__ or "").splitlines()[0] for name, command in session.commands().items()}

    assert told == {
        "database": "all orders, and whether each can be cancelled",
        "orders": "CUSTOMER: the orders of one customer, such as /orders CUST-001",
        "order": "ID: one order, with its eligibility, such as /order ORD-001",
        "metrics": "usage of this conversation: replies, tokens, tool calls",
        "reset": "start over: reset the conversation, its metrics and the orders",
        "export": "write the conversation, its metrics, tool calls and changed orders to a JSON file",
    }


async def test_the_welcome_says_what_to_try(session: ServiceSession, offline: PluginContext):
    assert session.welcome == (
        "You are customer CUST-001. Try: Where is my order ORD-002? Can I cancel ORD-003? Please cancel ORD-001."
    )
    async with chatbot("", offline).connect(Case(id="chat")) as unknown:
        assert unknown.welcome.startswith("You are not signed in: state your customer number, such as CUST-001. Try: ")
