"""Agents of LangGraph, LangChain, OpenAI Agents, Pydantic AI and Google ADK in this process.

An object is recognized by the modules of its classes, so no framework is imported to check. The framework's helpers are
looked up in the modules loaded with the object. The framework calls the models.
"""

import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import orjson

from sparring.chatbots.agent_turns import (
    AgentTurn,
    Asked,
    Calls,
    ModelUse,
    field_of,
    shown,
    usage_of,
)
from sparring.chatbots.approvals import decision, question
from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.histories import chat_messages
from sparring.chatbots.langchain_agents import LangGraphAgent, RunnableAgent
from sparring.chatbots.request import traced
from sparring.chatbots.response import cleaned_reply
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, Text
from sparring.core.usage import Usage
from sparring.llm.call_context import current_call
from sparring.llm.pricing import at_list_price
from sparring.llm.redaction import quote

_WITH_DEPENDENCIES = (
    "let a function return both, def make(): return agent, Deps(...), and name it with parentheses: make()"
)
_WRAPPER = "name a class of yours (python:FILE.py:Bot) whose __init__(self) sets self.agent to a new agent, with {}"
_ASYNC = "async def reply(self, message): return {}"
_OTHERS = {
    "crewai.agent": _ASYNC.format("(await self.agent.kickoff_async(message.text)).raw"),
    "crewai": _ASYNC.format("str(await self.agent.kickoff_async({'message': message.text}))"),
    "autogen_agentchat": _ASYNC.format("(await self.agent.run(task=message.text)).messages[-1].to_text()"),
    "strands": _ASYNC.format("str(await self.agent.invoke_async(message.text))"),
    "smolagents": "def reply(self, message): return str(self.agent.run(message.text, reset=False))",
    "llama_index.core.chat_engine": _ASYNC.format("str(await self.agent.achat(message.text))"),
    "llama_index.core.query_engine": _ASYNC.format("str(await self.agent.aquery(message.text))"),
    "llama_index": _ASYNC.format("str(await self.agent.run(message.text, ctx=self.context))")
    + ", with self.context = Context(self.agent)",
    "agent_framework": _ASYNC.format("(await self.agent.run(message.text, session=self.session)).text")
    + ", with self.session = self.agent.create_session()",
}
"""How a wrapper replies, by the beginning of the modules of a framework's classes."""
_TOOL_FAILED = "An error occurred while running the tool"
"""Start of the text that OpenAI Agents gives the model when a tool raised an error."""


class OpenAIAgent:
    """An agent of OpenAI Agents. Handoffs are tool calls, and the next turn goes to the last agent.

    It asks for the approval of tool calls; words that are neither yes nor no make it ask again.
    """

    def __init__(self, agent: Any, case: Case, context: Any = None) -> None:
        self._agent, self._items = agent, chat_messages(case.history)
        self._given = {} if context is None else {"context": context}
        self._calls = Calls()
        self._halted: Any = None
        self._items_seen, self._used = 0, Usage()

    async def turn(self, text: str) -> AgentTurn:
        refused: set[Any] = set()
        if self._halted is None:
            self._items_seen, self._used = 0, Usage()
            sent: Any = [*self._items, {"role": "user", "content": text}]
        elif (approved := decision(text)) is None:
            return AgentTurn([_approval(each.raw_item) for each in self._halted.interruptions], [])
        else:
            sent = self._halted.to_state()
            for each in self._halted.interruptions:
                (sent.approve if approved else sent.reject)(each)
            refused = {field_of(each.raw_item, "call_id") for each in self._halted.interruptions if not approved}
        found = await sys.modules["agents.run"].Runner.run(self._agent, sent, **self._given)
        new, self._items_seen = found.new_items[self._items_seen :], len(found.new_items)
        said = [
            "".join(field_of(part, "text") or field_of(part, "refusal") or "" for part in each.raw_item.content)
            for each in _kind(new, "message_output_item")
        ]
        self._halted = found if getattr(found, "interruptions", None) else None
        if self._halted:
            said += [_approval(each.raw_item) for each in found.interruptions]
        else:
            self._agent, self._items = found.last_agent, found.to_input_list()
        outputs = {field_of(each.raw_item, "call_id"): each.output for each in _kind(new, "tool_call_output_item")}
        results = {id: (value, id in refused or str(value).startswith(_TOOL_FAILED)) for id, value in outputs.items()}
        handed = {field_of(each.raw_item, "call_id"): each for each in _kind(new, "handoff_output_item")}
        results |= {
            id: ({"from": each.source_agent.name, "to": each.target_agent.name}, False) for id, each in handed.items()
        }
        calls = [_agent_call(each, handed) for each in _kind(new, "tool_call_item", "handoff_call_item")]
        before, self._used = self._used, _agent_usage(found.context_wrapper.usage)
        texts = said or [shown(found.final_output)]
        asked = {_model_name(each.agent) for each in new if hasattr(each, "agent")} | {_model_name(found.last_agent)}
        used = ModelUse(self._used - before, asked.pop() if len(asked) == 1 else "", "openai")
        return AgentTurn(texts, self._calls.with_results(calls, results), [used])


def _model_name(agent: Any) -> str:
    model = getattr(agent, "model", None)
    name = getattr(model, "model", model)
    return name if isinstance(name, str) else ""


def _agent_usage(used: Any) -> Usage:
    cached = getattr(getattr(used, "input_tokens_details", None), "cached_tokens", 0)
    return usage_of(used.requests, used.input_tokens, used.output_tokens, cached)


def _approval(call: Any) -> str:
    """Return the question for the approval of a tool call."""
    name = field_of(call, "name") or field_of(call, "tool_name")
    return question(name, shown(field_of(call, "arguments") or field_of(call, "args")))


def _kind(items: Iterable[Any], *kinds: str) -> Iterator[Any]:
    return (each for each in items if each.type in kinds)


def _agent_call(item: Any, handed: Mapping[Any, Any]) -> Asked:
    """Return a tool call, or a handoff as `hand_off`, as of prompted chatbots."""
    raw, id = item.raw_item, field_of(item.raw_item, "call_id")
    if item.type == "handoff_call_item":
        return Asked(id, "hand_off", {"to": handed[id].target_agent.name} if id in handed else {})
    return Asked(id, field_of(raw, "name") or field_of(raw, "type"), field_of(raw, "arguments"))


class PydanticAgent:
    """An agent of Pydantic AI. Tool calls that need an approval are questions, as of OpenAI Agents."""

    def __init__(self, agent: Any, case: Case, deps: Any = None) -> None:
        self._given = {} if deps is None else {"deps": deps}
        kinds = sys.modules["pydantic_ai.messages"]
        self._agent, self._calls = agent, Calls()
        self._asking: list[Any] = []
        self._said = [
            kinds.ModelRequest(parts=[kinds.UserPromptPart(content=each.text)])
            if each.role == "user"
            else kinds.ModelResponse(parts=[kinds.TextPart(content=each.text)])
            for each in case.history
        ]

    async def turn(self, text: str) -> AgentTurn:
        approved = decision(text)
        if self._asking and approved is None:
            return AgentTurn([_approval(each) for each in self._asking], [])
        if self._asking:
            approvals = {each.tool_call_id: bool(approved) for each in self._asking}
            decided = sys.modules["pydantic_ai.tools"].DeferredToolResults(approvals=approvals)
            found = await self._agent.run(message_history=self._said, deferred_tool_results=decided, **self._given)
        else:
            found = await self._agent.run(text, message_history=self._said, **self._given)
        self._said, self._asking = found.all_messages(), [*(getattr(found.output, "approvals", None) or ())]
        parts = [part for each in found.new_messages() for part in each.parts]
        structured = not isinstance(found.output, str)
        results = {
            part.tool_call_id: (
                part.content,
                getattr(part, "outcome", part.part_kind) not in ("success", "tool-return"),
            )
            for part in parts
            if part.part_kind in ("tool-return", "retry-prompt")
        }
        calls = [
            Asked(part.tool_call_id, part.tool_name, part.args)
            for part in parts
            if part.part_kind == "tool-call" and not (structured and part.tool_name.startswith("final_result"))
        ]
        texts = [part.content for part in parts if part.part_kind == "text"]
        outputs = [_approval(each) for each in self._asking] or ([shown(found.output)] if structured else [])
        return AgentTurn([*texts, *outputs], self._calls.with_results(calls, results), _pydantic_uses(found))


def _pydantic_uses(found: Any) -> list[ModelUse]:
    """Return the usage of a run, by answer if several models were asked."""
    answers = [each for each in found.new_messages() if getattr(each, "model_name", None)]
    named = [(each.model_name, getattr(each, "provider_name", None) or "") for each in answers]
    if len({*named}) > 1:
        usages = [_pydantic_usage(each.usage, 1) for each in answers]
        return [ModelUse(usage, *names) for usage, names in zip(usages, named, strict=True)]
    used = found.usage if hasattr(found.usage, "requests") else found.usage()  # a method until 2.0
    return [ModelUse(_pydantic_usage(used, used.requests), *({*named} or {("", "")}).pop())]


def _pydantic_usage(used: Any, calls: int) -> Usage:
    return usage_of(calls, used.input_tokens, used.output_tokens, getattr(used, "cache_read_tokens", 0))


class AdkAgent:
    """An agent or an app of Google ADK, with a runner and a session of its own."""

    def __init__(self, agent: Any, case: Case, state: Any = None) -> None:
        self._given = {} if state is None else {"state": state}
        role = "app" if any(each.__module__.startswith("google.adk.apps") for each in type(agent).__mro__) else "agent"
        self._runner = import_module("google.adk.runners").InMemoryRunner(**{role: agent})
        self._types = import_module("google.genai.types")
        self._history, self._calls = case.history, Calls()
        self._session: Any = None

    async def turn(self, text: str) -> AgentTurn:
        session = self._session = self._session or await self._opened()
        said = self._types.Content(role="user", parts=[self._types.Part(text=text)])
        running = self._runner.run_async(user_id=session.user_id, session_id=session.id, new_message=said)
        events = [each async for each in running if not each.partial]
        if failed := next((each for each in events if each.error_message), None):
            raise ChatbotError(f"the chatbot reports an error: {quote(failed.error_message)}")
        parts = [(each, part) for each in events if each.content for part in each.content.parts or ()]
        texts = [part.text for each, part in parts if part.text and not part.thought and each.content.role == "model"]
        asked = [part.function_call for _, part in parts if part.function_call]
        given = [part.function_response for _, part in parts if part.function_response]
        results = {each.id: (each.response, (each.response or {}).get("status") == "error") for each in given}
        calls = self._calls.with_results([Asked(each.id, each.name, each.args) for each in asked], results)
        used = [_adk_use(each) for each in events]
        return AgentTurn(texts, calls, used)

    async def _opened(self) -> Any:
        """Return a new session that holds the history of the case."""
        sessions = self._runner.session_service
        session = await sessions.create_session(app_name=self._runner.app_name, user_id="sparring", **self._given)
        for each in self._history:
            author, role = ("user", "user") if each.role == "user" else (self._runner.agent.name, "model")
            said = self._types.Content(role=role, parts=[self._types.Part(text=each.text)])
            await sessions.append_event(session, import_module("google.adk.events").Event(author=author, content=said))
        return session

    async def state(self) -> object:
        session = self._session = self._session or await self._opened()
        names = {"app_name": self._runner.app_name, "user_id": session.user_id, "session_id": session.id}
        found = await self._runner.session_service.get_session(**names)
        return orjson.loads(orjson.dumps(dict(found.state), default=str))


def _adk_use(event: Any) -> ModelUse:
    if (counts := event.usage_metadata) is None:
        return ModelUse(Usage())
    used = usage_of(1, counts.prompt_token_count, counts.candidates_token_count, counts.cached_content_token_count)
    return ModelUse(used, getattr(event, "model_version", None) or "", "google")


Agent = LangGraphAgent | RunnableAgent | OpenAIAgent | PydanticAgent | AdkAgent
_STATEFUL = (LangGraphAgent, AdkAgent)

_KINDS: Mapping[str, Callable[..., Agent]] = {
    "langgraph": LangGraphAgent,
    "langchain_core": RunnableAgent,
    "agents.agent": OpenAIAgent,
    "pydantic_ai": PydanticAgent,
    "google.adk": AdkAgent,
}


def agent_of(found: Any, name: str, make: Callable[[], Any] | None = None) -> "AgentChatbot | None":
    """Return the chatbot `name` for an agent of a known framework; None for anything else.

    With `make`, each conversation gets a new agent, or an agent and what the framework passes to its tools. Raise
    InputError for a framework that needs a wrapper.
    """
    found, given = _pair(found) if make else (found, None)
    if inspect.isclass(found) or callable(getattr(found, "reply", None)):
        return None
    modules = [each.__module__ for each in type(found).__mro__]
    kind = next((kind for kind in _KINDS for each in modules if _is_in(each, kind)), None)
    if kind is None:
        if other := next((each for each in _OTHERS for module in modules if _is_in(module, each)), None):
            framework = other.partition(".")[0]
            raise InputError(f"{name} is a {type(found).__name__} of {framework}", hint=_WRAPPER.format(_OTHERS[other]))
        return None
    if kind == "langgraph" and not hasattr(found, "ainvoke"):
        raise InputError(f"{name} is a graph that is not compiled", hint="name what graph.compile() returns")
    needs = getattr(found, "deps_type", None) if kind == "pydantic_ai" else None
    if given is None and needs not in (None, object, type(None)):
        raise InputError(f"{name} needs dependencies ({getattr(needs, '__name__', needs)})", hint=_WITH_DEPENDENCIES)
    return AgentChatbot(make or (lambda: found), _KINDS[kind])


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def _pair(made: Any) -> tuple[Any, Any]:
    """Return an agent and what goes to its tools, if a function made both."""
    return made if isinstance(made, tuple) and len(made) == 2 else (made, None)


class AgentChatbot(BaseChatbot):
    """An agent of another framework, with its tool calls and the usage of its models."""

    def __init__(self, make: Callable[[], Any], kind: Callable[..., Agent]) -> None:
        self._make, self._kind = make, kind
        self.capabilities = Capabilities(reports_tools=True, reports_state=kind in _STATEFUL)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["AgentSession"]:
        made = self._make()
        found, given = _pair(await made if inspect.isawaitable(made) else made)
        agent = self._kind(found, case, given)
        yield StatefulAgentSession(agent) if isinstance(agent, _STATEFUL) else AgentSession(agent)


class AgentSession:
    """A conversation with an agent."""

    greeting: Message | None = None

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def reply(self, message: Message) -> Message:
        try:
            with traced():
                turn = await self._agent.turn(message.text)
            parts = tuple(Text(text=text) for text in turn.texts if text.strip())
            reply = Message(role="chatbot", parts=parts, tool_calls=tuple(turn.calls))
        except ChatbotError:
            raise
        except (Exception, SystemExit) as error:
            raise ChatbotError(quote(f"{type(error).__name__}: {error}")) from error
        for usage, model, provider in turn.used:
            if usage.calls:
                current_call().record_usage("chatbot", at_list_price(usage, provider, model), model=model)
        return cleaned_reply(reply)


class StatefulAgentSession(AgentSession):
    """A conversation with an agent whose state holds more than messages."""

    _agent: LangGraphAgent | AdkAgent

    async def state(self) -> object:
        return await self._agent.state()
