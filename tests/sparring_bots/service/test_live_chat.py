"""Live chat with the customer service, in a terminal."""

import json
from pathlib import Path

import pytest

from terminal import terminal

pytestmark = pytest.mark.process


def test_a_cancellation_in_a_terminal_from_its_checks_to_its_export(tmp_path: Path):
    with terminal("chat", "service:customer=CUST-001", "--model", "offline", folder=tmp_path) as (screen, program):
        welcome = screen.waits()
        cancelled = screen.says("Please cancel my order ORD-001")
        database = screen.says("/database")
        exported = screen.says("/export")
        reset = screen.says("/reset")
        again = screen.says("/order ORD-001")
        screen.type("/quit")
        screen.rest()
        assert program.wait(30) == 0

    assert "Try: " in welcome
    assert _in_order(
        cancelled,
        "tool validate_customer_ownership",
        "tool check_cancellation_policy",
        "tool cancel_order",
        "Order ORD-001 is cancelled.",
    )
    assert "cancelled" in next(line for line in database.splitlines() if "ORD-001" in line)
    assert "and the orders are reset" in reset
    assert "status: processing" in again
    (written,) = tmp_path.glob("*.json")
    assert written.name in exported.replace("\n", "")
    told = json.loads(written.read_bytes())
    assert [change["order_id"] for change in told["orders_changed"]] == ["ORD-001"]
    assert [call["name"] for call in told["tool_log"]][-1] == "cancel_order"


def test_the_customer_can_be_a_variable(tmp_path: Path):
    arguments = ("chat", "service", "--model", "offline", "--var", "customer_id=CUST-002")
    with terminal(*arguments, folder=tmp_path, env={"NO_COLOR": "1"}) as (screen, program):
        welcome = screen.waits()
        own, other = screen.says("Where is order ORD-005?"), screen.says("Where is order ORD-001?")
        screen.type("/exit")
        screen.rest()
        assert program.wait(30) == 0

    assert "CUST-002" in welcome
    assert "Order ORD-005 is pending" in own
    assert "I cannot find order ORD-001" in other


def _in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)
