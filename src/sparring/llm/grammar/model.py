"""The model that answers by a grammar."""

from collections.abc import Sequence
from pathlib import Path

import orjson

from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.llm.grammar.grammar_file import GrammarFile, read
from sparring.llm.grammar.intents import Intents
from sparring.llm.grammar.lexicon import Lexicon, lexicon
from sparring.llm.grammar.replies import Answers, Call, Result, walk
from sparring.llm.model import ChatMessage, Completion, Request, Tool, ToolRequest, UnpricedModel

_NOTHING = Usage()


class Grammar(UnpricedModel):
    """A deterministic model without cost.

    With `stepwise`, it continues if only some of the tools it requested were called.
    """

    def __init__(self, grammar: GrammarFile, *, stepwise: bool = False) -> None:
        self._fallback = grammar.fallback
        self._intents = Intents(grammar)
        self._answers = Answers(grammar)
        self._has_steps = stepwise or any(intent.before for intent in grammar.intents)
        self._tools: tuple[Tool, ...] = ()
        self._known = lexicon(())

    async def complete(self, request: Request) -> Completion:
        """Request the tools that the last user message needs, or answer with the results of tools."""
        answered = request.messages[-1].role == "tool"
        if answered and not self._has_steps:
            return self._about(_results(request.messages))
        spoken = _spoken(request.messages, "user")
        before = request.messages[: max(spoken, 0)]
        known = self._lexicon(request.tools)
        found = self._intents.find(
            _content(request.messages, spoken), known, _last(before), _content(before, _spoken(before, "assistant"))
        )
        calls, results = walk(found, known, _used(request.messages[spoken + 1 :]))
        if calls:
            asked = len(request.messages)
            requests = tuple(
                ToolRequest(f"call_{asked}_{number}", call.tool, orjson.dumps(call.arguments).decode())
                for number, call in enumerate(calls, start=1)
            )
            return Completion(tool_requests=requests, usage=_NOTHING, model="grammar")
        if answered:
            return self._about(results or _results(request.messages))
        replies = dict.fromkeys(meant.intent.reply for meant in found)
        return Completion(text=" ".join(replies) or self._fallback, usage=_NOTHING, model="grammar")

    def _about(self, results: Sequence[Result]) -> Completion:
        return Completion(text=self._answers.text(results), usage=_NOTHING, model="grammar")

    def _lexicon(self, tools: tuple[Tool, ...]) -> Lexicon:
        """Return the lexicon of the tools, cached because the tools of a chatbot are constant."""
        if tools is not self._tools and tools != self._tools:
            self._known = lexicon(tools)
        self._tools = tools
        return self._known


def load(path: Path, tools: tuple[Tool, ...] | None = None, *, stepwise: bool = False) -> Grammar:
    """Load the grammar in a file. Raise InputError with all problems, including those with `tools`."""
    return Grammar(read(path, tools), stepwise=stepwise)


def _last(messages: tuple[ChatMessage, ...]) -> dict[str, Json]:
    """Return the result of the last tool."""
    return next((_fields(line.content) for line in reversed(messages) if line.role == "tool"), {})


def _spoken(messages: tuple[ChatMessage, ...], role: str) -> int:
    """Return the index of the last message of a role, or -1. A tool request without text does not count."""
    for at in range(len(messages) - 1, -1, -1):
        line = messages[at]
        if line.role == role and (line.content or not line.tool_requests):
            return at
    return -1


def _content(messages: tuple[ChatMessage, ...], at: int) -> str:
    return messages[at].content if at >= 0 else ""


def _used(messages: tuple[ChatMessage, ...]) -> list[tuple[Call, Result]]:
    """Return the requested tools in these messages with their results."""
    asked = {request.id: request for line in messages for request in line.tool_requests}
    answered = ((asked[line.tool_request_id], line) for line in messages if line.tool_request_id in asked)
    return [
        (Call(request.name, _fields(request.arguments)), Result(request.name, _fields(line.content)))
        for request, line in answered
    ]


def _results(messages: tuple[ChatMessage, ...]) -> list[Result]:
    """Return the results of the last requested tools."""
    first = len(messages)
    while first > 0 and messages[first - 1].role == "tool":
        first -= 1
    asked = {request.id: request.name for request in messages[first - 1].tool_requests} if first else {}
    return [Result(asked.get(line.tool_request_id, ""), _fields(line.content)) for line in messages[first:]]


def _fields(content: str) -> dict[str, Json]:
    try:
        result: Json = orjson.loads(content)
    except orjson.JSONDecodeError:
        result = content
    return result if isinstance(result, dict) else {"result": result}
