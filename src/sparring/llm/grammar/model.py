"""The model that answers by a grammar."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from sparring.core.errors import BadCompletion
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.llm import template
from sparring.llm.grammar.grammar_file import GrammarFile, Reply, read
from sparring.llm.grammar.intents import IntentMatch, Intents, agrees
from sparring.llm.grammar.lexicon import Lexicon, lexicon
from sparring.llm.model import ChatMessage, Completion, Request, Tool, ToolRequest, UnpricedModel
from sparring.llm.template import MissingField, Template

_BLANKS = re.compile(" {2,}")


@dataclass(frozen=True, slots=True)
class Result:
    """A result of a tool. A value that is not a mapping is under `result`."""

    tool: str
    fields: dict[str, Json]


class Answers:
    """The replies of a grammar, parsed once."""

    def __init__(self, grammar: GrammarFile) -> None:
        self._fallback = grammar.fallback
        self._replies = {tool: _ready(replies) for tool, replies in grammar.replies.items()}
        self._closing = _ready(grammar.closing)

    def text(self, results: Sequence[Result]) -> str:
        """Return one text about all results, with one closing at the end and without repetitions."""
        said = dict.fromkeys(_say(self._replies.get(result.tool, ()), result) for result in results)
        closing = _say(self._closing, results[-1])
        said.pop(closing, None)
        return " ".join(text for text in (*said, closing) if text) or self._fallback


_Ready = tuple[tuple[dict[str, Json], Template], ...]


def _ready(replies: Iterable[Reply]) -> _Ready:
    return tuple((reply.when, template.read(reply.say)) for reply in replies)


def _say(replies: _Ready, result: Result) -> str:
    for when, text in replies:
        if agrees(result.fields, when):
            try:
                return _sentence(text.fill(result.fields))
            except MissingField as error:
                raise BadCompletion(
                    f"the grammar's reply to {result.tool} needs {error}, which is not there"
                ) from error
    return ""


def _sentence(text: str) -> str:
    text = _BLANKS.sub(" ", text.strip())
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with its arguments."""

    tool: str
    arguments: dict[str, Json]


def walk(
    found: Sequence[IntentMatch], known: Lexicon, used: Sequence[tuple[Call, Result]]
) -> tuple[list[Call], list[Result]]:
    """Return the next calls, or else the results to reply to: the last one of every intent.

    There is no state: progress is derived from the tools `used` since the last user message.
    """
    calls: list[Call] = []
    results: list[Result] = []
    for meant in found:
        if not meant.intent.tool:
            continue
        for call, when in _steps(meant, known):
            result = next((result for other, result in used if other == call), None)
            if result is None:
                calls += [call] if call not in calls else []
                break
            if when is None or not agrees(result.fields, when):
                results.append(result)
                break
    return calls, results


def _steps(meant: IntentMatch, known: Lexicon) -> Iterator[tuple[Call, dict[str, Json] | None]]:
    """Return the calls of an intent in order, each with the condition on its result for the next one."""
    for step in meant.intent.before:
        parameters = known.parameters.get(step.tool, ())
        given = {name: value for name, value in meant.arguments.items() if name in parameters}
        yield Call(step.tool, given), step.when
    yield Call(meant.intent.tool, meant.arguments), None


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
