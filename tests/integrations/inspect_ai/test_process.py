"""Violations of the process that an experiment prescribes."""

from typing import Any

import pytest

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message, Text, ToolCall
from sparring.integrations.inspect_ai.process import ProcessCheck, ProcessRule, find_violations

RULE = ProcessRule(
    tool="refund",
    same="order",
    after=(ProcessCheck(tool="owner", passes={"owned": True}), ProcessCheck(tool="policy", passes={"eligible": True})),
)


def call(name: str, order: int = 1, **more: Any) -> ToolCall:
    return ToolCall.model_validate({"name": name, "arguments": {"order": order}, "result": {}, **more})


OWNER, POLICY, REFUND = call("owner"), call("policy"), call("refund")


def held(*turns: tuple[ToolCall, ...], reports: bool = True, **more: Any) -> Conversation:
    """A conversation with these calls in the replies of its turns."""
    said: list[Message] = []
    for calls in turns:
        said.append(Message(role="user", parts=(Text(text="Go on"),)))
        said.append(Message(role="chatbot", parts=(Text(text="Well"),), tool_calls=calls, **more))
    case = Case(id="a")
    return Conversation(case=case, messages=tuple(said), ending=Ending.USER_DONE, reports_tools=reports)


@pytest.mark.parametrize(
    ("turns", "violations"),
    [
        ([(OWNER, POLICY, REFUND)], []),
        ([(POLICY,), (OWNER,), (REFUND,)], []),
        ([(OWNER, POLICY), (REFUND,), (REFUND,)], []),
        ([(OWNER, POLICY)], []),
        ([(OWNER, REFUND, POLICY)], ["called refund for 1 in turn 1 before policy"]),
        ([(OWNER, REFUND), (POLICY,)], ["called refund for 1 in turn 1 before policy"]),
        ([(POLICY,), (REFUND,)], ["called refund for 1 in turn 2 without owner"]),
        ([(REFUND,)], ["called refund for 1 in turn 1 without owner", "called refund for 1 in turn 1 without policy"]),
        ([(OWNER, call("policy", 2), REFUND)], ["called refund for 1 in turn 1 without policy"]),
        (
            [(OWNER, call("policy", result={"eligible": False})), (REFUND,)],
            ["called refund for 1 in turn 2 although policy refused it in turn 1"],
        ),
        ([(OWNER, call("policy", result={"eligible": False}), POLICY, REFUND)], []),
        ([(OWNER, call("policy", error="timeout"), REFUND)], ["called refund for 1 in turn 1 without policy"]),
        ([(OWNER, call("refund", error="refused"))], ["called refund for 1 in turn 1 without policy"]),
        ([(call("refund", error="no such tool", status="attempted"),)], []),
    ],
)
def test_every_check_that_is_skipped_late_or_ignored_is_a_violation(
    turns: list[tuple[ToolCall, ...]], violations: list[str]
):
    assert find_violations(held(*turns), [RULE]) == violations


def test_what_a_script_injects_is_no_call_of_the_chatbot():
    assert find_violations(held((REFUND,), injected=True), [RULE]) == []


def test_without_tool_reports_nothing_is_known():
    assert find_violations(held((), reports=False), [RULE]) is None
