"""Agents of other frameworks, by objects of their shapes: no framework is installed with Sparring."""

import sys
from collections.abc import Callable
from types import SimpleNamespace as Object
from typing import Any

import pytest

from sparring.chatbots.frameworks import AgentChatbot, agent_of
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, message
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.testing.conformance.chatbots import check_chatbot

ALONE, BEFORE = Case(id="a"), Case(id="b", history=(message("user", "earlier"), message("chatbot", "yes")))


def shaped(module: str, **members: Any) -> Any:
    """Return an object of a class that says it is from this module."""
    return type("Agent", (), {"__module__": module, **members})()


def human(text: str) -> Object:
    return Object(type="human", content=text, id=None)


def ai(content: Any, *calls: dict[str, Any]) -> Object:
    usage = {"input_tokens": 10, "output_tokens": 5, "input_token_details": {"cache_read": 2}}
    return Object(type="ai", content=content, id=None, tool_calls=calls, usage_metadata=usage)


def graph(kept: bool = False) -> Any:
    """Return a graph that asks a tool for the price of a size, and repeats everything for other words."""
    threads: dict[str, list[Any]] = {}

    async def ainvoke(self: Any, sent: Any, config: Any) -> dict[str, Any]:
        thread = threads.setdefault(config["configurable"]["thread_id"], []) if kept else []
        if isinstance(sent, Resumed):
            thread.append(ai(f"Booked: {sent.resume}"))
            return {"messages": list(thread), "booked": True}
        for each in sent["messages"]:
            made = (
                each if not isinstance(each, dict) else {"user": human, "assistant": ai}[each["role"]](each["content"])
            )
            thread.append(made)
        said = thread[-1].content
        if said == "book":
            return {"messages": list(thread), "__interrupt__": [Object(value="Really?")]}
        if said in ("small", "huge"):
            result = Object(type="tool", tool_call_id="c", id=None, status="success", content='{"price": 8}')
            if said == "huge":
                result.status, result.content = "error", "no such size"
            call = {"name": "price", "args": {"size": said}, "id": "c"}
            thread += [
                ai("Let me check.", call),
                result,
                ai([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "There."}]),
            ]
        else:
            thread.append(ai(" / ".join(each.content for each in thread if each.type == "human")))
        return {"messages": list(thread), "seen": len(thread)}

    return shaped("langgraph.graph.state", ainvoke=ainvoke, checkpointer=object() if kept else None)


class Resumed:
    def __init__(self, resume: str) -> None:
        self.resume = resume


def openai_agent() -> Any:
    return shaped("agents.agent")


class Runner:
    @staticmethod
    async def run(agent: Any, items: list[dict[str, Any]]) -> Object:
        said = items[-1]["content"]
        if said == "break":
            raise RuntimeError("no model")
        words, new = " / ".join(each["content"] for each in items if each.get("role") == "user"), []
        if said in ("small", "huge"):
            output = (
                '{"price": 8}' if said == "small" else "An error occurred while running the tool. Please try again."
            )
            call = Object(name="price", arguments=f'{{"size": "{said}"}}', call_id="c", type="function_call")
            new = [
                Object(type="tool_call_item", raw_item=call),
                Object(type="tool_call_output_item", raw_item={"call_id": "c"}, output=output),
            ]
            words = "There."
        content = [Object(type="output_text", text=words)]
        new.append(Object(type="message_output_item", raw_item=Object(content=content)))
        usage = Object(requests=2, input_tokens=20, output_tokens=10, input_tokens_details=Object(cached_tokens=4))
        return Object(
            new_items=new,
            interruptions=[Object()] if said == "approve" else [],
            last_agent=agent,
            final_output=words,
            context_wrapper=Object(usage=usage),
            to_input_list=lambda: [*items, {"role": "assistant", "content": words}],
        )


class Kinds:
    """The message classes of Pydantic AI."""

    ModelRequest = ModelResponse = staticmethod(lambda parts: Object(parts=parts))
    UserPromptPart = staticmethod(lambda content: Object(part_kind="user-prompt", content=content))
    TextPart = staticmethod(lambda content: Object(part_kind="text", content=content))


def pydantic_agent(**members: Any) -> Any:
    async def run(self: Any, text: str, message_history: list[Any]) -> Object:
        asked, new = Object(parts=[Kinds.UserPromptPart(text)]), []
        if text in ("small", "huge"):
            call = Object(part_kind="tool-call", tool_name="price", args={"size": text}, tool_call_id="c")
            result = Object(part_kind="tool-return", content={"price": 8}, outcome="success", tool_call_id="c")
            if text == "huge":
                result = Object(part_kind="retry-prompt", content="no such size", tool_call_id="c")
            new = [Object(parts=[call]), Object(parts=[result]), Object(parts=[Kinds.TextPart("There.")])]
        else:
            said = [
                part for each in [*message_history, asked] for part in each.parts if part.part_kind == "user-prompt"
            ]
            new = [Object(parts=[Kinds.TextPart(" / ".join(each.content for each in said))])]
        whole = [*message_history, asked, *new]
        return Object(
            output={"size": "small"} if text == "structured" else "There.",
            usage=Object(requests=1, input_tokens=0, output_tokens=0),
            new_messages=lambda: [asked, *new],
            all_messages=lambda: whole,
        )

    return shaped("pydantic_ai.agent", run=run, **members)


AGENTS: dict[str, Callable[[], Any]] = {
    "graph": graph,
    "graph that keeps threads": lambda: graph(kept=True),
    "openai-agents": openai_agent,
    "pydantic-ai": pydantic_agent,
}


@pytest.fixture(autouse=True)
def frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in (
        ("langgraph.types", Object(Command=Resumed)),
        ("agents.run", Object(Runner=Runner)),
        ("pydantic_ai.messages", Kinds),
    ):
        monkeypatch.setitem(sys.modules, name, module)  # type: ignore[arg-type]


def chatbot(found: Any) -> AgentChatbot:
    made = agent_of(found, "bot")
    assert made is not None
    return made


async def replies(found: Any, *lines: str, case: Case = ALONE) -> list[Message]:
    async with chatbot(found).connect(case) as session:
        return [await session.reply(message("user", line)) for line in lines]


@pytest.mark.parametrize("made", AGENTS.values(), ids=AGENTS)
async def test_an_agent_shows_its_tool_calls_and_remembers(made: Callable[[], Any]):
    small, huge, after = await replies(made(), "small", "huge", "and?")

    assert small.text.endswith("There.")
    (call,) = small.tool_calls
    assert (call.name, call.arguments, call.result, call.status) == (
        "price",
        {"size": "small"},
        {"price": 8},
        "succeeded",
    )
    (failed,) = huge.tool_calls
    assert (failed.status, bool(failed.error)) == ("failed", True)
    assert (after.text, after.tool_calls) == ("small / huge / and?", ())


@pytest.mark.parametrize("made", AGENTS.values(), ids=AGENTS)
async def test_an_agent_knows_the_history_of_a_case_and_no_other_conversation(made: Callable[[], Any]):
    agent = made()
    await replies(agent, "of another")

    (reply,) = await replies(agent, "now", case=BEFORE)

    assert reply.text == "earlier / now"


@pytest.mark.parametrize("made", AGENTS.values(), ids=AGENTS)
async def test_an_agent_keeps_to_the_contract_of_chatbots(made: Callable[[], Any]):
    await check_chatbot(lambda: chatbot(made()))


@pytest.mark.parametrize(
    ("made", "usage"),
    [
        (graph, Usage(calls=2, input_tokens=20, output_tokens=10, cached_tokens=4, unknown_costs=2)),
        (openai_agent, Usage(calls=2, input_tokens=20, output_tokens=10, cached_tokens=4, unknown_costs=2)),
        (pydantic_agent, Usage(calls=1, unknown_tokens=1, unknown_costs=1)),
    ],
)
async def test_the_usage_of_an_agents_models_is_counted(made: Callable[[], Any], usage: Usage):
    meter = Meter()

    with call_context(meter=meter):
        await replies(made(), "small")

    assert meter.usage == {"chatbot": usage}


async def test_the_question_of_a_graph_is_a_reply_and_the_next_message_answers_it():
    async with chatbot(graph(kept=True)).connect(Case(id="a")) as session:
        asked = await session.reply(message("user", "book"))
        booked = await session.reply(message("user", "yes"))

        assert (asked.text, booked.text, await session.state()) == ("Really?", "Booked: yes", {"booked": True})


async def test_a_structured_output_is_its_json():
    (reply,) = await replies(pydantic_agent(), "structured")

    assert reply.text.endswith('{"size":"small"}')


@pytest.mark.parametrize(
    ("line", "error"), [("break", "RuntimeError: no model"), ("approve", "waits for the approval")]
)
async def test_an_agent_that_fails_is_to_blame(line: str, error: str):
    with pytest.raises(ChatbotError, match=error):
        await replies(openai_agent(), line)


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda: shaped("langgraph.graph.state"), "is a graph that is not compiled"),
        (lambda: pydantic_agent(deps_type=Case), "needs dependencies"),
        (lambda: shaped("crewai.crew"), "is a Agent of crewai"),
    ],
)
def test_an_object_that_has_to_be_wrapped_is_bad_input(made: Callable[[], Any], error: str):
    with pytest.raises(InputError, match=error):
        agent_of(made(), "bot")


@pytest.mark.parametrize("found", [shaped("shop.bot"), shaped("agents.agent", reply=print), print, Case])
def test_anything_else_is_no_agent(found: object):
    assert agent_of(found, "bot") is None
