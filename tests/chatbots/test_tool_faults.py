from random import Random

import pytest

from sparring.chatbots.chatbot import Capabilities, unsupported
from sparring.chatbots.python import PythonChatbot
from sparring.chatbots.tool_faults import ToolFaults, with_faults
from sparring.core.case import Case, Say, ToolFault
from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall, message
from sparring.core.prompts import ToolSchema
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted

ORDER = {"id": "A-17", "total": 20.5, "paid": True, "date": "2026-12-31", "items": ["tea", "box of 3", None]}


def result(fails: str, *, given: object = ORDER, arguments: dict | None = None, seed: int = 1) -> object:
    faults = ToolFaults((ToolFault(tool="get", fails=fails, when="always"),), Random(seed))
    arguments = {"id": "A-17"} if arguments is None else arguments
    faults.failing("get", arguments)
    return faults.result_of("get", arguments, given)


def test_an_implicit_fault_breaks_the_result():
    assert result("empty") == ({}, "empty")
    assert result("truncated") == ({"id": "A-17", "total": 20.5}, "truncated")
    assert result("truncated", given=[1, 2, 3, 4]) == ([1, 2], "truncated")
    swapped, _ = result("swapped")
    assert swapped.keys() == ORDER.keys()
    assert all(swapped[name] != value for name, value in ORDER.items())
    assert swapped["date"].startswith("2027-01-0")
    assert (swapped["items"][0], swapped["items"][2]) == ("tea", None)
    contradictory, _ = result("contradictory")
    assert [name for name in ORDER if contradictory[name] != ORDER[name]] == ["id"]
    other, _ = result("contradictory", given=[{"name": "tea"}, {"price": 5}])
    assert other[0] == {"name": "tea"}
    assert other[1]["price"] != 5


def test_equal_seeds_break_results_equally():
    assert [result("swapped", seed=n) for n in range(9)] == [result("swapped", seed=n) for n in range(9)]


@pytest.mark.parametrize("given", ["", [], {}, None])
def test_a_result_that_cannot_be_broken_is_left_alone(given: object):
    assert result("empty", given=given) == (given, None)
    assert result("swapped", given=given) == (given, None)


def struck(fault: ToolFault, calls: int = 6, seed: int = 0) -> list[int]:
    faults = ToolFaults((fault,), Random(seed))
    return [n for n in range(1, calls + 1) if faults.failing("get", {"id": "A-17"})]


def test_a_fault_comes_when_it_is_asked_for():
    assert struck(ToolFault(tool="get", fails="error")) == [1]
    assert struck(ToolFault(tool="get", fails="error", when="always")) == [1, 2, 3, 4, 5, 6]
    assert struck(ToolFault(tool="get", fails="error", nth=3)) == [3]
    assert struck(ToolFault(tool="get", fails="error", arguments={"id": "B-2"})) == []
    assert struck(ToolFault(tool="other", fails="error")) == []
    share = [len(struck(ToolFault(tool="get", fails="error", share=0.3), 100, seed)) for seed in range(20)]
    assert 500 <= sum(share) <= 700


def test_a_stale_result_is_that_of_an_earlier_call_with_the_same_arguments():
    faults = ToolFaults((ToolFault(tool="get", fails="stale"),), Random(1))
    seen = []
    for arguments, now in (({"id": 1}, "new"), ({"id": 2}, "other"), ({"id": 1}, "paid"), ({"id": 1}, "sent")):
        faults.failing("get", arguments)
        seen.append(faults.result_of("get", arguments, now))

    assert seen == [("new", None), ("other", None), ("new", "stale"), ("sent", None)]


def test_a_call_that_the_chatbot_does_not_report_is_added():
    failed = ToolCall(name="get", arguments={"id": 1}, error="the tool did not answer in time", fault="timeout")
    again = ToolCall(name="get", arguments={"id": 1}, result="new")

    marked = with_faults(message("chatbot", "It is new.", tool_calls=(again,)), [failed])

    assert marked.tool_calls == (failed, again)


def test_a_chatbot_that_cannot_be_broken_is_refused_before_the_first_message():
    case = Case(id="c", faults=(ToolFault(tool="gett", fails="error"),))

    assert ["cannot be broken" in each.message for each in unsupported(case, Capabilities())] == [True]
    known = Capabilities(injects=frozenset({"fault"}), tools=(ToolSchema(name="get"),))
    assert [each.message for each in unsupported(case, known)] == [
        "there is no tool 'gett' to break; did you mean 'get'?"
    ]


class Desk:
    reports_tools = True
    retries = 2

    def call_tool(self, name: str, arguments: dict) -> object:
        return {"status": "sent 2026-03-01", "id": arguments["id"]}

    def reply(self, said: Message) -> Message:
        calls = []
        for _ in range(self.retries):
            try:
                found = self.call_tool("get_order", {"id": 7})
            except TimeoutError as error:
                calls.append(ToolCall(name="get_order", arguments={"id": 7}, error=str(error)))
                continue
            calls.append(ToolCall(name="get_order", arguments={"id": 7}, result=found))
            return message("chatbot", f"Order 7: {found.get('status', 'I cannot tell')}.", tool_calls=tuple(calls))
        return message("chatbot", "The system is down.", tool_calls=tuple(calls))


class AsyncDesk(Desk):
    async def call_tool(self, name: str, arguments: dict) -> object:
        return {"status": "sent 2026-03-01", "id": arguments["id"]}

    async def reply(self, said: Message) -> Message:
        found = await self.call_tool("get_order", {"id": 7})
        call = ToolCall(name="get_order", arguments={"id": 7}, result=found)
        return message("chatbot", f"Order 7: {found.get('status', 'I cannot tell')}.", tool_calls=(call,))


async def simulated(case: Case, chatbot: PythonChatbot) -> Conversation:
    return await simulate(case, Scripted(), chatbot, reader=PatternReader())


@pytest.mark.parametrize(
    ("code", "fault", "reaction"),
    [
        (Desk, ToolFault(tool="get_order", fails="timeout"), "retried"),
        (Desk, ToolFault(tool="get_order", fails="timeout", when="always"), "admitted"),
        (Desk, ToolFault(tool="get_order", fails="swapped"), "lied"),
        (Desk, ToolFault(tool="get_order", fails="empty"), "admitted"),
        (AsyncDesk, ToolFault(tool="get_order", fails="empty"), "admitted"),
        (AsyncDesk, ToolFault(tool="get_order", fails="swapped"), "lied"),
    ],
)
async def test_tools_of_a_python_class_are_broken(code: type, fault: ToolFault, reaction: str):
    case = Case(id="c", script=(Say(text="Where is my order?"),), faults=(fault,))

    done = await simulated(case, PythonChatbot(code))

    assert [each.reaction for each in done.recoveries] == [reaction] * len(done.recoveries)
    assert {each.fails for each in done.recoveries} == {fault.fails}


async def test_a_planted_fault_that_never_occurred_is_reported():
    case = Case(id="c", script=(Say(text="Hello"),), faults=(ToolFault(tool="get_order", fails="stale"),))

    done = await simulated(case, PythonChatbot(Desk))

    assert done.recoveries == ()
    assert done.warnings == ("no call of the tool 'get_order' was broken, so the reaction to its fault was not tested",)
