"""Agents of other frameworks, by objects of their shapes: no framework is installed with Sparring."""

import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace as Object
from typing import Any

import pytest

from sparring.chatbots.frameworks import AgentChatbot, agent_of
from sparring.chatbots.python import connect
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, message
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

ALONE, BEFORE = Case(id="a"), Case(id="b", history=(message("user", "earlier"), message("chatbot", "yes")))


def shaped(module: str, **members: Any) -> Any:
    """Return an object of a class that says it is from this module."""
    return type("Agent", (), {"__module__": module, **members})()


def human(text: str) -> Object:
    return Object(type="human", content=text, id=None)


def ai(content: Any, *calls: dict[str, Any]) -> Object:
    usage = {"input_tokens": 10, "output_tokens": 5, "input_token_details": {"cache_read": 2}}
    about = {"model_name": "gpt-x", "model_provider": "nowhere"}
    said = {"type": "ai", "content": content, "id": None, "tool_calls": calls}
    return Object(**said, usage_metadata=usage, response_metadata=about)


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


class Handler:
    """Shaped like the base class of LangChain's callback handlers."""


def converted(said: list[Any]) -> list[Object]:
    return [{"user": human, "assistant": ai}[each["role"]](each["content"]) if isinstance(each, dict) else each
            for each in said]  # fmt: skip


TEXT, LIST = {"type": "string"}, {"anyOf": [{"type": "array"}, {"type": "null"}]}


def chain(schema: Any = None, *, by_hand: bool = False, words: bool = True) -> Any:
    """Return a chain that asks a tool for the price of a size, and repeats everything for other words.

    `by_hand` it calls the tool without LangChain. It returns `words` or a message.
    """

    async def ainvoke(self: Any, given: Any, config: Any) -> Any:
        (heard,) = config["callbacks"]
        messages = given if isinstance(given, list) else [*given.get("before", ()), human(given["question"])]
        said = messages[-1].content
        if said == "fails":
            raise RuntimeError("no model")
        call = {"id": "c", "name": "price", "args": {"size": said}}
        calls = [call] if said in ("small", "huge") else []
        _answered(heard, messages, ai("", *calls))
        if not calls:
            said = " / ".join(each.content for each in messages if each.type == "human")
            return said if words else ai(said)
        result, status = ({"price": 8}, "success") if said == "small" else ("KeyError", "error")
        message = Object(type="tool", tool_call_id="c", content=json.dumps(result), status=status)
        if not by_hand:
            heard.on_tool_start({"name": "price"}, str(call["args"]), run_id=1, inputs=call["args"])
            if said == "huge":
                heard.on_tool_error(KeyError("huge"), run_id=1)
            else:
                heard.on_tool_end(result if words else message, run_id=1)
        _answered(heard, [*messages, message] if by_hand else messages, ai("There."))
        return "There." if words else ai("There.")

    fields = {"properties": {"question": TEXT, "before": LIST}} if schema is None else schema
    return shaped("langchain_core.runnables.base", ainvoke=ainvoke, get_input_jsonschema=lambda self: fields)


def _answered(heard: Any, messages: list[Any], answer: Any) -> None:
    heard.on_chat_model_start({}, [messages], run_id=0)
    heard.on_llm_end(Object(generations=[[Object(message=answer)]]), run_id=0)


class Resumed:
    def __init__(self, resume: str) -> None:
        self.resume = resume


def openai_agent() -> Any:
    return shaped("agents.agent", name="shop", model=Object(model="gpt-x"))


class Halted:
    """A run of OpenAI Agents that waits for the approval of a tool call."""

    call = Object(name="price", arguments='{"size": "small"}', call_id="c", type="function_call")
    usage = Object(requests=1, input_tokens=10, output_tokens=5)

    def __init__(self, items: list[Any]) -> None:
        self.items, self.approved = items, False

    def found(self, agent: Any, *new: Object, words: str = "") -> Object:
        items = [Object(type="tool_call_item", raw_item=self.call), *new]
        waiting = [] if new else [Object(raw_item=self.call)]
        return Object(
            new_items=items,
            interruptions=waiting,
            final_output=words,
            last_agent=agent,
            to_state=lambda: self,
            context_wrapper=Object(usage=self.usage),
            to_input_list=lambda: self.items,
        )

    def approve(self, _: Object) -> None:
        self.approved = True

    def reject(self, _: Object) -> None:
        self.approved = False

    def resumed(self, agent: Any) -> Object:
        words = "Done." if self.approved else "Not done."
        said = Object(type="message_output_item", raw_item=Object(content=[Object(type="output_text", text=words)]))
        output = '{"price": 8}' if self.approved else "Tool execution was not approved."
        result = Object(type="tool_call_output_item", raw_item={"call_id": "c"}, output=output)
        return self.found(agent, result, said, words=words)


class Runner:
    @staticmethod
    async def run(agent: Any, items: Any) -> Object:
        if isinstance(items, Halted):
            return items.resumed(agent)
        said = items[-1]["content"]
        if said == "approve":
            return Halted(items).found(agent)
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
        if said == "hand over":
            called = Object(name="transfer_to_till", arguments="{}", call_id="h", type="function_call")
            new = [
                Object(type="handoff_call_item", raw_item=called, agent=agent),
                Object(
                    type="handoff_output_item",
                    raw_item={"call_id": "h"},
                    source_agent=agent,
                    target_agent=Object(name="till"),
                ),
            ]
        content = [Object(type="output_text", text=words)]
        new.append(Object(type="message_output_item", raw_item=Object(content=content)))
        usage = Object(requests=2, input_tokens=20, output_tokens=10, input_tokens_details=Object(cached_tokens=4))
        return Object(
            new_items=new,
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
    async def run(self: Any, text: str = "", message_history: Any = (), deferred_tool_results: Any = None) -> Object:
        asked, new = Object(parts=[Kinds.UserPromptPart(text)]), []
        waiting = Object(part_kind="tool-call", tool_name="price", args={"size": "small"}, tool_call_id="d")
        if text == "approve":
            new = [Object(parts=[waiting])]
        elif deferred_tool_results:
            approved = deferred_tool_results.approvals["d"]
            result = Object(part_kind="tool-return", content={"price": 8}, outcome="success", tool_call_id="d")
            if not approved:
                result = Object(part_kind="tool-return", content="no", outcome="denied", tool_call_id="d")
            new = [Object(parts=[result]), Object(parts=[Kinds.TextPart("Done." if approved else "Not done.")])]
        elif text in ("small", "huge"):
            call = Object(part_kind="tool-call", tool_name="price", args={"size": text}, tool_call_id="c")
            result = Object(part_kind="tool-return", content={"price": 8}, outcome="success", tool_call_id="c")
            if text == "huge":
                result = Object(part_kind="retry-prompt", content="no such size", tool_call_id="c")
            named = {"model_name": "gpt-x", "provider_name": "nowhere"}
            new = [Object(parts=[call], **named), Object(parts=[result])]
            new.append(Object(parts=[Kinds.TextPart("There.")], **named))
        else:
            said = [
                part for each in [*message_history, asked] for part in each.parts if part.part_kind == "user-prompt"
            ]
            new = [Object(parts=[Kinds.TextPart(" / ".join(each.content for each in said))])]
        whole = [*message_history, asked, *new]
        return Object(
            output={"structured": {"size": "small"}, "approve": Object(approvals=[waiting])}.get(text, "There."),
            usage=Object(requests=int(text == "approve" or not deferred_tool_results), input_tokens=0, output_tokens=0),
            new_messages=lambda: [asked, *new],
            all_messages=lambda: whole,
        )

    return shaped("pydantic_ai.agent", run=run, **members)


class AdkRunner:
    """The runner of Google ADK, which keeps sessions."""

    def __init__(self, agent: Any = None, app: Any = None) -> None:
        self.agent, self.app_name, self.session_service = agent or app.root_agent, "app", self
        self.said: dict[str, list[str]] = {}

    async def create_session(self, app_name: str, user_id: str) -> Object:
        self.said[f"s{len(self.said)}"] = []
        return Object(id=f"s{len(self.said) - 1}", user_id=user_id)

    async def get_session(self, app_name: str, user_id: str, session_id: str) -> Object:
        return Object(state={"messages": len(self.said[session_id])})

    async def append_event(self, session: Object, event: Object) -> None:
        if event.author == "user":
            self.said[session.id].append(event.content.parts[0].text)

    async def run_async(self, user_id: str, session_id: str, new_message: Object) -> AsyncIterator[Object]:
        said = new_message.parts[0].text
        self.said[session_id].append(said)
        if said in ("small", "huge"):
            result = {"price": 8} if said == "small" else {"status": "error", "error_message": "no such size"}
            yield adk_event(call=Object(id="c", name="price", args={"size": said}))
            yield adk_event("user", response=Object(id="c", name="price", response=result))
            yield adk_event(text="Ther", partial=True)
            yield adk_event(text="hm", thought=True)
            yield adk_event(text="There.")
        else:
            yield adk_event(text=" / ".join(self.said[session_id]))


def adk_part(text: str = "", call: Any = None, response: Any = None, thought: bool = False) -> Object:
    return Object(text=text, function_call=call, function_response=response, thought=thought)


def adk_event(role: str = "model", partial: bool = False, **part: Any) -> Object:
    usage = Object(prompt_token_count=5, candidates_token_count=3, cached_content_token_count=None)
    content = Object(role=role, parts=[adk_part(**part)])
    return Object(
        content=content,
        partial=partial,
        error_message=None,
        usage_metadata=usage if part.get("call") else None,
        model_version="gpt-x",
    )


def adk_agent() -> Any:
    return shaped("google.adk.agents.llm_agent", name="shop", root_agent=object())


AGENTS: dict[str, Callable[[], Any]] = {
    "graph": graph,
    "graph that keeps threads": lambda: graph(kept=True),
    "chain": chain,
    "model with tools": lambda: chain({"anyOf": [TEXT, {"type": "array"}]}, words=False),
    "chain that calls tools itself": lambda: chain(by_hand=True),
    "openai-agents": openai_agent,
    "pydantic-ai": pydantic_agent,
    "google-adk": adk_agent,
    "google-adk's app": lambda: shaped("google.adk.apps.app", name="shop", root_agent=adk_agent()),
}


@pytest.fixture(autouse=True)
def frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in (
        ("langgraph.types", Object(Command=Resumed)),
        ("langchain_core.messages", Object(convert_to_messages=converted)),
        ("langchain_core.callbacks", Object(BaseCallbackHandler=Handler)),
        ("agents.run", Object(Runner=Runner)),
        ("pydantic_ai.messages", Kinds),
        ("pydantic_ai.tools", Object(DeferredToolResults=Object)),
        ("google", Object()),
        ("google.adk", Object()),
        ("google.adk.runners", Object(InMemoryRunner=AdkRunner)),
        ("google.adk.events", Object(Event=Object)),
        ("google.genai", Object()),
        ("google.genai.types", Object(Content=Object, Part=adk_part)),
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
        (chain, Usage(calls=2, input_tokens=20, output_tokens=10, cached_tokens=4, unknown_costs=2)),
        (openai_agent, Usage(calls=2, input_tokens=20, output_tokens=10, cached_tokens=4, unknown_costs=2)),
        (pydantic_agent, Usage(calls=1, unknown_tokens=1, unknown_costs=1)),
        (adk_agent, Usage(calls=1, input_tokens=5, output_tokens=3, unknown_costs=1)),
    ],
)
async def test_the_usage_of_an_agents_models_is_counted_with_their_names(made: Callable[[], Any], usage: Usage):
    meter = Meter()

    with call_context(meter=meter):
        await replies(made(), "small")

    assert meter.usage == {"chatbot": usage}
    assert {each.model for each in meter.calls} == {"gpt-x"}


async def test_a_handoff_of_openai_agents_is_a_call_of_hand_off():
    (reply,) = await replies(openai_agent(), "hand over")

    (call,) = reply.tool_calls
    assert (call.name, call.arguments, call.result) == ("hand_off", {"to": "till"}, {"from": "shop", "to": "till"})


async def test_the_question_of_a_graph_is_a_reply_and_the_next_message_answers_it():
    async with chatbot(graph(kept=True)).connect(Case(id="a")) as session:
        asked = await session.reply(message("user", "book"))
        booked = await session.reply(message("user", "yes"))

        assert (asked.text, booked.text, await session.state()) == ("Really?", "Booked: yes", {"booked": True})


async def test_the_state_of_an_adk_session_is_shown():
    async with chatbot(adk_agent()).connect(BEFORE) as session:
        await session.reply(message("user", "Hi"))
        assert await session.state() == {"messages": 2}


async def test_a_structured_output_is_its_json():
    (reply,) = await replies(pydantic_agent(), "structured")

    assert reply.text.endswith('{"size":"small"}')


async def test_an_agent_that_fails_is_to_blame():
    with pytest.raises(ChatbotError, match="RuntimeError: no model"):
        await replies(openai_agent(), "break")


@pytest.mark.parametrize("made", [openai_agent, pydantic_agent])
@pytest.mark.parametrize(("answer", "status", "words"), [("yes", "succeeded", "Done."), ("No.", "failed", "Not done.")])
async def test_an_approval_is_a_question_that_a_yes_or_a_no_answers(
    made: Callable[[], Any], answer: str, status: str, words: str
):
    meter = Meter()
    with call_context(meter=meter):
        asked, again, done = await replies(made(), "approve", "Which one?", answer)

    assert asked.text == again.text
    assert asked.text.replace(" ", "") == 'Approveprice({"size":"small"})?'
    assert [call.status for call in asked.tool_calls] == ["attempted"]
    assert (done.text, [call.status for call in done.tool_calls]) == (words, [status])
    assert meter.usage["chatbot"].calls == 1, "the run counts its usage from its start on"


async def test_each_conversation_may_have_an_agent_of_its_own(tmp_path: Path, context: PluginContext):
    (tmp_path / "made.py").write_text(
        "made = []\n\ndef make():\n    kind = type('Agent', (), {'__module__': 'agents.agent'})\n"
        "    made.append(kind())\n    return made[-1]\n\ndef broken():\n    raise KeyError('no')\n\n"
        "def other():\n    return made\n\nasync def later():\n    return make()\n"
    )
    place = f"{tmp_path / 'made.py'}"
    for name in ("make", "later"):
        found = connect(f"{place}:{name}()", context)
        for _ in range(2):
            async with found.connect(ALONE) as session:
                await session.reply(message("user", "Hi"))
    with pytest.raises(InputError) as refused:
        connect(f"{place}:make", context)
    assert "make()" in refused.value.hint

    for name, problem in (("broken", "fails: KeyError"), ("other", "returns no agent of a known framework")):
        with pytest.raises(InputError, match=problem):
            connect(f"{place}:{name}()", context)


@pytest.mark.parametrize(("kind", "name"), [("agents.agent", "context"), ("pydantic_ai.agent", "deps")])
async def test_a_function_may_return_an_agent_and_what_its_tools_need(
    kind: str, name: str, monkeypatch: pytest.MonkeyPatch
):
    given: list[Any] = []

    async def run(*_: Any, **options: Any) -> Object:
        given.append(options[name])
        raise RuntimeError("no model")

    monkeypatch.setattr(Runner, "run", staticmethod(run))
    agent = shaped(kind, run=run, deps_type=Case)
    found = agent_of((agent, ALONE), "make()", lambda: (agent, ALONE))
    assert found is not None
    async with found.connect(ALONE) as session:
        with pytest.raises(ChatbotError, match="no model"):
            await session.reply(message("user", "Hi"))

    assert given == [ALONE]


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda: shaped("langgraph.graph.state"), "is a graph that is not compiled"),
        (lambda: pydantic_agent(deps_type=Case), "needs dependencies"),
        (lambda: shaped("crewai.crew"), "is a Agent of crewai"),
        (lambda: shaped("llama_index.core.agent.workflow"), "is a Agent of llama_index"),
    ],
)
def test_an_object_that_has_to_be_wrapped_is_bad_input(made: Callable[[], Any], error: str):
    with pytest.raises(InputError, match=error):
        agent_of(made(), "bot")


async def test_a_chain_gets_variables_and_what_its_maker_adds():
    given: list[Any] = []

    async def ainvoke(self: Any, sent: Any, config: Any) -> Any:
        given.append(sent)
        return {"answer": "yes"}

    schema = {"properties": dict.fromkeys(("context", "city", "question"), TEXT)}
    made = shaped("langchain_core.runnables.base", ainvoke=ainvoke, get_input_jsonschema=lambda self: schema)
    found = agent_of((made, {"context": "c"}), "make()", lambda: (made, {"context": "c"}))
    assert found is not None
    async with found.connect(Case(id="a", variables={"city": "Lima", "other": "x"})) as session:
        reply = await session.reply(message("user", "Hi"))

    assert (reply.text, given) == ("yes", [{"context": "c", "city": "Lima", "question": "Hi"}])


async def test_a_chain_without_a_schema_of_its_input_gets_the_words_and_one_with_memory_only_the_new_ones():
    kept: list[Any] = []
    memory = Object(add_messages=kept.extend)
    given: list[Any] = []

    async def ainvoke(self: Any, sent: Any, config: Any) -> Any:
        given.append(sent)
        return "yes"

    plain = {"ainvoke": ainvoke, "get_input_jsonschema": lambda self: {"properties": {"root": {}}}}
    await replies(shaped("langchain_core.runnables.base", **plain), "a", "b", case=BEFORE)
    remembers = {**plain, "get_session_history": lambda self, id: memory}
    await replies(shaped("langchain_core.runnables.history", **remembers), "c", case=BEFORE)

    assert (given, [each.content for each in kept]) == (["a", "b", "c"], ["earlier", "yes"])


@pytest.mark.parametrize("found", [shaped("shop.bot"), shaped("agents.agent", reply=print), print, Case])
def test_anything_else_is_no_agent(found: object):
    assert agent_of(found, "bot") is None
