"""Replies of a grammar to results of tools, and the order of tools within an intent."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sparring.core.errors import BadCompletion
from sparring.core.value import Json
from sparring.llm import template
from sparring.llm.grammar.grammar_file import GrammarFile, Reply
from sparring.llm.grammar.intents import IntentMatch, agrees
from sparring.llm.grammar.lexicon import Lexicon
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
