"""What to say about what the tools returned.

Which tools to ask for next, where one intent asks for several, one after the other.
"""

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
    """What one tool returned; what is not a mapping is under `result`."""

    tool: str
    fields: dict[str, Json]


class Answers:
    """The replies of a grammar, each read once."""

    def __init__(self, grammar: GrammarFile) -> None:
        self._fallback = grammar.fallback
        self._replies = {tool: _ready(replies) for tool, replies in grammar.replies.items()}
        self._closing = _ready(grammar.closing)

    def text(self, results: Sequence[Result]) -> str:
        """One text about all results, and a closing about how things stand after the last; nothing is said twice."""
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
    """A tool and what it is given."""

    tool: str
    arguments: dict[str, Json]


def walk(
    found: Sequence[IntentMatch], known: Lexicon, used: Sequence[tuple[Call, Result]]
) -> tuple[list[Call], list[Result]]:
    """The calls that come next, or else the results to speak of: for every intent the one it ended with.

    Nothing is remembered: how far an intent has come is seen from the tools `used` since the user spoke.
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
    """The calls of an intent, in their order, each with what its result must be like for the next to follow."""
    for step in meant.intent.before:
        parameters = known.parameters.get(step.tool, ())
        given = {name: value for name, value in meant.arguments.items() if name in parameters}
        yield Call(step.tool, given), step.when
    yield Call(meant.intent.tool, meant.arguments), None
