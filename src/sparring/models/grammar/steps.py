"""Which tools to ask for next, where one intent asks for several, one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.core.value import Json
from sparring.models.grammar.agreeing import agrees
from sparring.models.grammar.answering import Result
from sparring.models.grammar.slots import Lexicon
from sparring.models.grammar.understanding import Meant


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and what it is given."""

    tool: str
    arguments: dict[str, Json]


def walk(
    found: Sequence[Meant], known: Lexicon, used: Sequence[tuple[Call, Result]]
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


def _steps(meant: Meant, known: Lexicon) -> Iterator[tuple[Call, dict[str, Json] | None]]:
    """The calls of an intent, in their order, each with what its result must be like for the next to follow."""
    for step in meant.intent.before:
        parameters = known.parameters.get(step.tool, ())
        given = {name: value for name, value in meant.arguments.items() if name in parameters}
        yield Call(step.tool, given), step.when
    yield Call(meant.intent.tool, meant.arguments), None
