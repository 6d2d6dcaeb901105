"""Changes of mind, drawn when a case is made, so that plans, rules and replays know them.

The user ends on the value of the case. The other value is one that the author declared for the variable, or one more or
one less of a counted thing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Literal, get_args

from sparring.core.case import CHANGE_YOUR_MIND, Case, ChangeOfMind, Goal
from sparring.core.seeding import random_for
from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.goals import texts
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.stated_answers import FLAGS
from sparring.extraction.tokens import fold, mentions, tokens
from sparring.parsing.regex import compiled
from sparring.scenarios.expansion import Row
from sparring.scenarios.variables import Variable

_Mode = Literal["for good", "detour"]
_At = Literal["echoed", "confirm", "later"]

_MAX_COUNT = 20
"""The largest number without declared alternatives that is taken for a count."""

_MOMENTS = ("date", "time")
_NAMES = ("email", "phone", "url", "code")
"""Types of values that identify a thing or person and cannot be replaced."""


def with_changes(case: Case, variables: Sequence[Variable] = (), never: Sequence[Row] = ()) -> Case:
    """Return the case with a change of mind if its style asks for one and a variable has another value."""
    style = next((each for each in case.persona.styles if each.name == CHANGE_YOUR_MIND), None)
    if style is None or case.changes or case.script:
        return case
    random = random_for(case, "change of mind")
    drawn = _Drawn(case, variables, never, random)
    possible = [each for goal in case.goals for each in drawn.of_goal(goal)] or [*drawn.asked_for()]
    if not possible:
        return case
    variable, first = random.choice(possible)
    has_next_goal = any(variable in goal.variables for goal in case.goals[:-1])
    change = ChangeOfMind(
        variable=variable,
        first=first,
        final=texts(case.variables[variable])[0],
        mode=style.mode or random.choice(get_args(_Mode)),
        at=random.choice(get_args(_At) if has_next_goal else get_args(_At)[:2]),
    )
    return case.model_copy(update={"changes": (change,)})


class _Drawn:
    """The variables of a case that have another value, and that value."""

    def __init__(self, case: Case, variables: Sequence[Variable], never: Sequence[Row], random: Random) -> None:
        self.case, self.never, self.random = case, never, random
        self.declared: Mapping[str, Sequence[Json]] = {
            **{name: others for goal in case.goals for name, others in goal.others.items()},
            **{each.name: each.values for each in variables},
        }
        self.hidden = role_sheet(case).hidden

    def of_goal(self, goal: Goal) -> Iterator[tuple[str, str]]:
        """Yield the variables that only this goal has, once in its text, each with another value."""
        for name in goal.variables:
            shared = any(name in other.variables for other in self.case.goals if other is not goal)
            if not shared and not goal.output:
                yield from self._of_variable(name, goal.text)

    def asked_for(self) -> Iterator[tuple[str, str]]:
        """Yield the variables that the user says only when asked, each with another value."""
        in_goals = {name for goal in self.case.goals for name in goal.variables}
        for name in self.case.variables:
            if name not in in_goals:
                yield from self._of_variable(name, "")

    def _of_variable(self, name: str, text: str) -> Iterator[tuple[str, str]]:
        value = self.case.variables.get(name)
        own = texts(value)
        if len(own) != 1 or isinstance(value, bool | dict) or name in self.hidden:
            return
        if text and len(re.findall(rf"(?<!\w){re.escape(own[0])}(?!\w)", text, re.IGNORECASE)) != 1:
            return
        single = value[0] if isinstance(value, list) else value
        for other in self._others(name, single, text):
            if self._is_free(name, value, other):
                yield name, str(other)
                return

    def _others(self, name: str, value: Json, text: str) -> Sequence[Json]:
        """Return the alternatives to a value, the best first."""
        declared = list(self.declared.get(name, ()))
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers = sorted({each for each in (*declared, value) if isinstance(each, int | float)})
            near = _beside(value, numbers) if len(numbers) > 1 else _counts(value, text)
            return self.random.sample(near, len(near))
        if any(_is_whole(kind, str(value)) for kind in _MOMENTS):
            return _beside(value, [*dict.fromkeys((*declared, *((value,) if value not in declared else ())))])[::-1]
        if any(_is_whole(kind, str(value)) for kind in _NAMES):
            return ()
        return self.random.sample(declared, len(declared))

    def _is_free(self, name: str, value: Json, other: Json) -> bool:
        """Return True if a value is mistaken for no other of the case, and the author does not exclude it."""
        said = str(other)
        if not isinstance(other, str | int | float) or isinstance(other, bool) or not said.strip():
            return False
        taken = [text for each in self.case.variables.values() for text in texts(each)]
        if any(_overlap(said, text) for text in taken):
            return False
        if any(_has(goal.text, said) or _expects(goal, said) for goal in self.case.goals):
            return False
        row = {**self.case.variables, name: [other] if isinstance(value, list) else other}
        return not any(all(row.get(key) == wanted for key, wanted in rule.items()) for rule in self.never)


def _beside(value: Json, ordered: Sequence[Json]) -> list[Json]:
    """Return the declared values before and after a value."""
    at = ordered.index(value)
    return [*ordered[max(0, at - 1) : at], *ordered[at + 1 : at + 2]]


def _counts(value: float, text: str) -> list[Json]:
    """Return one less and one more, if a number is a count of things in the text of its goal."""
    counted = isinstance(value, int) and 1 <= value <= _MAX_COUNT and re.search(rf"(?<!\w){value} [^\W\d_]", text)
    return [each for each in (value - 1, value + 1) if each > 0] if counted else []


def _is_whole(kind: str, text: str) -> bool:
    """Return True if all of a text is one value of this kind."""
    return any((found.start, found.end) == (0, len(text)) for found in typed_values.find(kind, text))


def _overlap(one: str, other: str) -> bool:
    """Return True if a value contains the other: `light` and `cola light`, but not 1 and 12."""
    return _has(one, other) or _has(other, one)


def _has(text: str, words: str) -> bool:
    """Return True if a text has these words; without digits, in any order, and as parts of words."""
    if any(letter.isdigit() for letter in words):
        return f" {' '.join(tokens(words))} " in f" {' '.join(tokens(text))} "
    return fold(words) in fold(text) or mentions(text, words)


def _expects(goal: Goal, said: str) -> bool:
    """Return True if the author expects a value of the chatbot, or wants it never to say it."""
    stated = any(_has(answer.text, said) for answer in goal.answer)
    return stated or any(compiled(FLAGS + pattern).search(said) for pattern in goal.never)
