"""The customer service with broken tools: it says so, and never claims what did not happen."""

from collections.abc import Callable
from typing import get_args

import pytest

from sparring.core.case import Case, FaultKind, Say, ToolFault
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted
from sparring_bots.service.chatbot import CustomerService

LINES = ("Where is order ORD-002?", "Where is order ORD-002?", "Please cancel order ORD-001.")
UNSEEN = {"swapped", "truncated", "contradictory", "stale"}
"""Faults that only a chatbot which compares results can notice."""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("tool", ["track_order", "validate_customer_ownership", "cancel_order"])
@pytest.mark.parametrize("fails", get_args(FaultKind))
async def test_it_says_that_a_tool_failed(tool: str, fails: FaultKind, bots: Callable[[str], CustomerService]):
    case = Case(
        id=f"{tool}/{fails}",
        script=tuple(Say(text=line) for line in LINES),
        variables={"customer_id": "CUST-001"},
        faults=(ToolFault(tool=tool, fails=fails, when="always"),),
    )

    done = await simulate(case, Scripted(), bots(""), reader=PatternReader())

    assert done.error == ""
    found = {each.reaction for each in done.recoveries}
    if fails not in UNSEEN:
        assert found == {"admitted"}
    again = await simulate(case, Scripted(), bots(""), reader=PatternReader())
    assert again.messages == done.messages
