"""The state of every kind of chatbot, read at both ends of a conversation, and golden actions on a fresh copy."""

import asyncio
import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from fakes import FrozenClock
from scripted import ScriptedModel
from sparring.chatbots.chatbot import Chatbot
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.tools import fails_if, toolbox
from sparring.chatbots.python import PythonChatbot
from sparring.core.audit import Blame
from sparring.core.case import Case, Say
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message, ToolCall, message
from sparring.core.state import GoldenAction, StateRecord
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.model import ToolRequest
from sparring.rules.check import expected
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted


class Shop:
    """A shop with two orders."""

    def __init__(self) -> None:
        self.orders = {"W1": {"status": "pending"}, "W2": {"status": "pending"}}

    def state(self) -> dict[str, Any]:
        return {"orders": self.orders}

    @fails_if(lambda result: result["status"] == "refused")
    def cancel_order(self, order: str) -> dict[str, str]:
        """Cancel an order."""
        if order not in self.orders:
            return {"status": "refused"}
        self.orders[order]["status"] = "cancelled"
        return {"status": "cancelled"}


def cancel(order: str) -> ToolRequest:
    return ToolRequest("1", "cancel_order", json.dumps({"order": order}))


def prompted(*replies: str | ToolRequest) -> Prompted:
    return Prompted(ScriptedModel(*replies), template.read("You help."), toolbox(Shop))


class Desk:
    """The same shop as a Python object."""

    reports_tools = True
    tools = ("cancel_order",)

    def __init__(self) -> None:
        self.shop = Shop()

    def state(self) -> Any:
        return self.shop.state()

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
        return getattr(self.shop, name)(**arguments)

    def reply(self, said: Message) -> Message:
        result: Any = self.shop.cancel_order(said.text)
        call = ToolCall(name="cancel_order", arguments={"order": said.text}, result=result)
        return message("chatbot", "Done.", tool_calls=(call,))


def golden(*orders: str) -> Expectation:
    actions = tuple(GoldenAction(tool="cancel_order", arguments={"order": order}) for order in orders)
    then = f"state_differences({[action.model_dump() for action in actions]}) == []"
    return Expectation(rule=Rule(name="state", then=then, yields="changes()"), golden=actions)


async def play(chatbot: Chatbot, *expectations: Expectation, says: str = "Cancel W1.") -> Conversation:
    case = Case(id="a", script=(Say(text=says),), expectations=expectations)
    return await simulate(case, Scripted(), chatbot, reader=PatternReader(), clock=FrozenClock())


async def outcome(conversation: Conversation) -> tuple[str, str]:
    (verdict,) = await expected(conversation)
    return str(verdict.outcome), verdict.reason


async def test_a_prompted_chatbot_shows_what_its_tools_work_on():
    conversation = await play(prompted(cancel("W1"), "It is cancelled."))

    state = conversation.state or StateRecord()
    assert [str(change) for change in state.changes] == ["orders.W1.status: pending → cancelled"]
    assert conversation.tools == {"cancel_order": "Cancel an order."}


@pytest.mark.parametrize(
    ("replies", "verdict"),
    [
        ((cancel("W1"), "Done."), "pass"),
        ((cancel("W2"), "Done."), "fail"),
        (("I have cancelled your order W1.",), "fail"),
        ((cancel("W9"), "Done."), "fail"),
    ],
)
async def test_the_end_state_is_compared_with_that_after_golden_actions(
    replies: tuple[str | ToolRequest, ...], verdict: str
):
    conversation = await play(prompted(*replies), golden("W1"))

    assert (await outcome(conversation))[0] == verdict


async def test_a_golden_action_that_fails_leaves_the_expectation_undecided():
    conversation = await play(prompted(cancel("W1"), "Done."), golden("W1", "W9"))

    (verdict,) = await expected(conversation)
    assert verdict.reason == 'the golden action cancel_order failed: {"status": "refused"}'
    assert (verdict.outcome, verdict.blame) == (CheckOutcome.ERROR, Blame.CASE)


async def test_a_python_object_shows_its_state_and_takes_golden_actions():
    chatbot = PythonChatbot(Desk)

    conversation = await play(chatbot, golden("W1"), says="W1")

    assert conversation.state
    assert [change.path for change in conversation.state.changes] == ["orders.W1.status"]
    assert await outcome(conversation) == ("pass", "")
    assert [tool.name for tool in chatbot.capabilities.tools or ()] == ["cancel_order"]


@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize(("seconds", "found"), [(50, "pass"), (1_000, "error")])
async def test_golden_actions_on_a_slow_machine_have_time_and_are_no_fault_of_the_case(seconds: float, found: str):
    class Slow(Desk):
        async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Any:
            await asyncio.sleep(seconds)
            return await super().call_tool(name, arguments)

    conversation = await play(PythonChatbot(Slow), golden("W1"), says="W1")

    (verdict,) = await expected(conversation)
    assert (str(verdict.outcome), verdict.blame is Blame.CASE) == (found, False)
    assert verdict.reason == ("the golden actions were not done within 180 s" if found == "error" else "")


async def test_a_function_shows_its_state():
    kept: list[Json] = []

    def reply(messages: list[Message], variables: dict[str, Any]) -> str:
        kept.append(messages[-1].text)
        return "OK"

    reply.state = lambda variables: {"kept": kept}  # type: ignore[attr-defined]

    conversation = await play(PythonChatbot(reply))

    assert conversation.state
    assert [str(each) for each in conversation.state.changes] == ["kept[0] added: Cancel W1."]


def test_a_module_of_tools_shows_its_state_and_state_is_a_tool_where_it_takes_something():
    module = ModuleType("tools")
    exec("def __state__():\n    return 1\ndef find(name: str) -> str:\n    return name\n", vars(module))
    for name in ("__state__", "find"):
        getattr(module, name).__module__ = "tools"

    class Places:
        def state(self, code: str) -> str:
            """The name of a state."""
            return code

    assert (toolbox(module).reports_state, list(toolbox(module).known)) == (True, ["find"])
    assert (toolbox(Places).reports_state, list(toolbox(Places).known)) == (False, ["state"])


class Unreadable(Desk):
    read = 0

    def state(self) -> Any:
        self.read += 1
        if self.read == 2:
            raise RuntimeError("the database is gone")
        return {"orders": object()} if self.read > 2 else {}


async def test_a_state_that_cannot_be_read_ends_no_conversation():
    conversation = await play(PythonChatbot(Unreadable), golden("W1"), says="W1")

    assert conversation.ending is Ending.USER_DONE
    assert conversation.state is not None
    reason = "the state could not be read: ChatbotError: RuntimeError: the database is gone"
    assert conversation.state.unread == {"end": reason}
    assert await outcome(conversation) == ("error", reason)


async def test_a_chatbot_that_fails_still_shows_its_state():
    conversation = await play(prompted(cancel("W1"), "", ""))

    assert conversation.ending is Ending.CHATBOT_FAILED
    assert conversation.state
    assert len(conversation.state.changes) == 1


async def test_a_chatbot_without_a_state_has_none():
    conversation = await play(PythonChatbot(lambda messages, variables: "OK"))

    assert conversation.state is None


async def test_a_setup_that_fails_makes_the_conversation_void():
    case = Case(
        id="c", script=(Say(text="Hello"),), setup=(GoldenAction(tool="cancel_order", arguments={"order": "W9"}),)
    )

    conversation = await simulate(case, Scripted(), prompted("Hi!"), reader=PatternReader())

    assert (conversation.ending, conversation.error) == (
        Ending.USER_FAILED,
        'the setup\'s call cancel_order failed: {"status": "refused"}',
    )


async def test_tools_are_called_at_the_end_without_the_chatbot():
    ask = GoldenAction(tool="cancel_order", arguments={"order": "W1"})
    unknown = GoldenAction(tool="pay")
    rule = Rule(name="asked", then="tool_answer('cancel_order', {'order': 'W1'})['status'] == 'cancelled'")
    case = Case(id="c", script=(Say(text="Hello"),), expectations=(Expectation(rule=rule, asks=(ask, unknown)),))

    conversation = await simulate(case, Scripted(), prompted("Hi!"), reader=PatternReader())

    assert conversation.state is not None
    assert conversation.state.changes == ()
    assert [(each.result, each.error) for each in conversation.state.answers] == [
        ({"status": "cancelled"}, ""),
        (None, "there is no tool 'pay'; there are: cancel_order"),
    ]
