"""Agents of other frameworks as objects in this process: LangGraph, OpenAI Agents and Pydantic AI.

An object is recognized by the modules of its classes, so no framework is imported to check. What it needs of its
framework is looked up in modules that are loaded with the object. Models are called by the framework.
"""

import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from uuid import uuid4

import orjson

from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.response import bounded
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, Text, ToolCall
from sparring.core.usage import Usage
from sparring.llm.call_context import current_call
from sparring.llm.redaction import quote

_WRAPPED = "wrap it: async def reply(messages, variables): return ... # the words of its answer"
_OTHERS = ("crewai", "autogen_agentchat", "strands", "smolagents", "llama_index", "langchain", "langchain_core")
_TOOL_FAILED = "An error occurred while running the tool"
"""Beginning of what OpenAI Agents gives the model in place of the result of a tool that raised."""


class AgentTurn(NamedTuple):
    """What an agent did in one turn: its texts, its tool calls in order, and the usage of its model calls."""

    texts: Sequence[str]
    calls: Sequence[ToolCall]
    usage: Usage


class LangGraphAgent:
    """A compiled graph of LangGraph with `messages` in its state.

    A graph with a checkpointer is sent what is new, under a thread of its own; any other one its whole last state.
    """

    def __init__(self, graph: Any, case: Case) -> None:
        self._graph = graph
        self._config = {"configurable": {"thread_id": uuid4().hex}}
        self._state: dict[str, Any] = {"messages": _history(case)}
        self._new = list(self._state["messages"])
        self._seen: set[str] = set()
        self._asking = False

    async def turn(self, text: str) -> AgentTurn:
        said = {"role": "user", "content": text}
        if self._asking:
            sent = sys.modules["langgraph.types"].Command(resume=text)
        elif getattr(self._graph, "checkpointer", None):
            sent = {"messages": [*self._new, said]}
        else:
            sent = {**self._state, "messages": [*self._state["messages"], said]}
        self._new = []
        found = _mapping(await self._graph.ainvoke(sent, self._config))
        asked = found.pop("__interrupt__", ())
        self._asking, self._state = bool(asked), found
        new = self._unseen(found.get("messages", ()))
        answers = [each for each in new if each.type == "ai"]
        results = {each.tool_call_id: each for each in new if each.type == "tool"}
        texts = [*(_words(each.content) for each in answers), *(_shown(each.value) for each in asked)]
        calls = (_graph_call(call, results) for each in answers for call in each.tool_calls)
        return AgentTurn(texts, list(calls), sum((_graph_usage(each) for each in answers), Usage()))

    def _unseen(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages after the user's last one that no earlier turn had."""
        last = max((at for at, each in enumerate(messages) if each.type == "human"), default=-1)
        new = [each for each in messages[last + 1 :] if each.id is None or each.id not in self._seen]
        self._seen |= {each.id for each in messages if each.id is not None}
        return new

    async def state(self) -> object:
        channels = {name: value for name, value in self._state.items() if name != "messages"}
        return orjson.loads(orjson.dumps(channels, default=str))


def _graph_call(call: Mapping[str, Any], results: Mapping[str, Any]) -> ToolCall:
    found = results.get(call["id"])
    if found is None:
        return ToolCall(name=call["name"], arguments=call["args"], status="attempted")
    failed = getattr(found, "status", "") == "error"
    return _call(call["name"], call["args"], _words(found.content), failed=failed)


def _graph_usage(answer: Any) -> Usage:
    told = getattr(answer, "usage_metadata", None) or {}
    cached = (told.get("input_token_details") or {}).get("cache_read", 0)
    return _usage(1, told.get("input_tokens", 0), told.get("output_tokens", 0), cached)


class OpenAIAgent:
    """An agent of OpenAI Agents. Handoffs are tool calls, and the next turn goes to the last agent."""

    def __init__(self, agent: Any, case: Case) -> None:
        self._agent, self._items = agent, _history(case)

    async def turn(self, text: str) -> AgentTurn:
        items = [*self._items, {"role": "user", "content": text}]
        found = await sys.modules["agents.run"].Runner.run(self._agent, items)
        if getattr(found, "interruptions", None):
            raise ChatbotError("the agent waits for the approval of a tool call, which cannot be given here")
        self._agent, self._items = found.last_agent, found.to_input_list()
        results = {_of(each.raw_item, "call_id"): each.output for each in _kind(found, "tool_call_output_item")}
        calls = [*_kind(found, "tool_call_item", "handoff_call_item")]
        said = [
            "".join(_of(part, "text") or _of(part, "refusal") or "" for part in each.raw_item.content)
            for each in _kind(found, "message_output_item")
        ]
        used = found.context_wrapper.usage
        cached = getattr(getattr(used, "input_tokens_details", None), "cached_tokens", 0)
        usage = _usage(used.requests, used.input_tokens, used.output_tokens, cached)
        return AgentTurn(said or [_shown(found.final_output)], [_agent_call(each, results) for each in calls], usage)


def _kind(found: Any, *kinds: str) -> Iterator[Any]:
    return (each for each in found.new_items if each.type in kinds)


def _agent_call(item: Any, results: Mapping[str, Any]) -> ToolCall:
    raw = item.raw_item
    name, arguments, id = _of(raw, "name") or _of(raw, "type"), _of(raw, "arguments"), _of(raw, "call_id")
    if id not in results:
        status = "executed" if item.type == "handoff_call_item" else "attempted"
        return ToolCall.model_validate({"name": name, "arguments": _arguments(arguments), "status": status})
    return _call(name, arguments, results[id], failed=str(results[id]).startswith(_TOOL_FAILED))


class PydanticAgent:
    """An agent of Pydantic AI."""

    def __init__(self, agent: Any, case: Case) -> None:
        kinds = sys.modules["pydantic_ai.messages"]
        self._agent = agent
        self._said = [
            kinds.ModelRequest(parts=[kinds.UserPromptPart(content=each.text)])
            if each.role == "user"
            else kinds.ModelResponse(parts=[kinds.TextPart(content=each.text)])
            for each in case.history
        ]

    async def turn(self, text: str) -> AgentTurn:
        found = await self._agent.run(text, message_history=self._said)
        self._said = found.all_messages()
        parts = [part for each in found.new_messages() for part in each.parts]
        structured = not isinstance(found.output, str)
        results = {part.tool_call_id: part for part in parts if part.part_kind in ("tool-return", "retry-prompt")}
        calls = [
            _pydantic_call(part, results.get(part.tool_call_id))
            for part in parts
            if part.part_kind == "tool-call" and not (structured and part.tool_name.startswith("final_result"))
        ]
        texts = [part.content for part in parts if part.part_kind == "text"]
        used = found.usage if hasattr(found.usage, "requests") else found.usage()  # a method until 2.0
        usage = _usage(used.requests, used.input_tokens, used.output_tokens, getattr(used, "cache_read_tokens", 0))
        return AgentTurn([*texts, _shown(found.output)] if structured else texts, calls, usage)


def _pydantic_call(part: Any, result: Any) -> ToolCall:
    if result is None:
        return ToolCall(name=part.tool_name, arguments=_arguments(part.args), status="attempted")
    failed = result.part_kind == "retry-prompt" or getattr(result, "outcome", "success") != "success"
    return _call(part.tool_name, part.args, result.content, failed=failed)


def _call(name: str, arguments: Any, result: Any, *, failed: bool) -> ToolCall:
    """Return a call with its result, which is the error if it failed."""
    outcome = {"error": _shown(result)} if failed else {"result": _plain(result)}
    return ToolCall.model_validate({"name": name, "arguments": _arguments(arguments), **outcome})


def _arguments(given: Any) -> dict[str, Any]:
    found = _plain(given)
    return found if isinstance(found, dict) else {}


def _plain(value: Any) -> Any:
    """Return a value as JSON; a text that is JSON is what it says."""
    try:
        if isinstance(value, str):
            return orjson.loads(value) if value.lstrip()[:1] in ("{", "[") else value
        return orjson.loads(orjson.dumps(value, default=_fields))
    except ValueError:
        return str(value)


def _fields(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def _shown(value: Any) -> str:
    """Return a value as words: itself, or its JSON."""
    return value if isinstance(value, str) else "" if value is None else orjson.dumps(_plain(value)).decode()


def _words(content: Any) -> str:
    """Return the text of a message; blocks of any other kind, such as reasoning, are no part of it."""
    if isinstance(content, str):
        return content
    blocks = (each if isinstance(each, dict) else {"type": "text", "text": str(each)} for each in content or ())
    return "".join(str(each.get("text", "")) for each in blocks if each.get("type") in ("text", "output_text"))


def _of(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def _mapping(found: Any) -> dict[str, Any]:
    if isinstance(found, Mapping):
        return dict(found)
    raise ChatbotError(f"the graph returned {type(found).__name__}, where a state with messages was expected")


def _usage(calls: int, read: int | None, written: int | None, cached: int | None) -> Usage:
    read, written = read or 0, written or 0
    figures = {"input_tokens": read, "output_tokens": written, "cached_tokens": cached or 0}
    return Usage(calls=calls, unknown_tokens=0 if read or written else calls, unknown_costs=calls, **figures)


def _history(case: Case) -> list[dict[str, str]]:
    roles = {"user": "user", "chatbot": "assistant"}
    return [{"role": roles[each.role], "content": each.text} for each in case.history]


Agent = LangGraphAgent | OpenAIAgent | PydanticAgent

_KINDS: Mapping[str, Callable[[Any, Case], Agent]] = {
    "langgraph": LangGraphAgent,
    "agents.agent": OpenAIAgent,
    "pydantic_ai": PydanticAgent,
}


def agent_of(found: Any, name: str) -> "AgentChatbot | None":
    """Return the chatbot of an agent of a known framework, which is called `name`; None for anything else.

    Raise InputError for one that has to be wrapped.
    """
    if inspect.isclass(found) or callable(getattr(found, "reply", None)):
        return None
    modules = [each.__module__ for each in type(found).__mro__]
    kind = next((kind for kind in _KINDS for each in modules if f"{each}.".startswith(f"{kind}.")), None)
    if kind is None:
        other = next((each for each in modules if each.split(".")[0] in _OTHERS), None)
        if other is not None:
            raise InputError(f"{name} is a {type(found).__name__} of {other.split('.')[0]}", hint=_WRAPPED)
        return None
    if kind == "langgraph" and not hasattr(found, "ainvoke"):
        raise InputError(f"{name} is a graph that is not compiled", hint="name what graph.compile() returns")
    needs = getattr(found, "deps_type", None) if kind == "pydantic_ai" else None
    if needs not in (None, object, type(None)):
        raise InputError(f"{name} needs dependencies ({getattr(needs, '__name__', needs)})", hint=_WRAPPED)
    return AgentChatbot(found, _KINDS[kind])


class AgentChatbot(BaseChatbot):
    """An agent of another framework, with its tool calls and the usage of its models."""

    def __init__(self, agent: Any, kind: Callable[[Any, Case], Agent]) -> None:
        self._agent, self._kind = agent, kind
        self.capabilities = Capabilities(reports_tools=True, reports_state=kind is LangGraphAgent)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["AgentSession"]:
        agent = self._kind(self._agent, case)
        yield StatefulAgentSession(agent) if isinstance(agent, LangGraphAgent) else AgentSession(agent)


class AgentSession:
    """A conversation with an agent."""

    greeting: Message | None = None

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def reply(self, message: Message) -> Message:
        try:
            turn = await self._agent.turn(message.text)
            parts = tuple(Text(text=text) for text in _spoken(turn.texts))
            reply = Message(role="chatbot", parts=parts, tool_calls=tuple(turn.calls))
        except ChatbotError:
            raise
        except (Exception, SystemExit) as error:
            raise ChatbotError(quote(f"{type(error).__name__}: {error}")) from error
        if turn.usage.calls:
            current_call().record_usage("chatbot", turn.usage)
        bounded(reply.parts)
        return reply


def _spoken(texts: Iterable[str]) -> Iterator[str]:
    return (text for text in texts if text.strip())


class StatefulAgentSession(AgentSession):
    """A conversation with a graph, whose state holds more than messages."""

    _agent: LangGraphAgent

    async def state(self) -> object:
        return await self._agent.state()
