"""Goals of scenario files: what the user wants, and the right outcome by the author.

An `answer`, an expression `done` and patterns for `never` are expectations, which users never see. A user takes the
values under `otherwise` if the chatbot does not have its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import re2

from sparring.core.case import Case, Goal, GoalAnswer
from sparring.core.checks import Expectation
from sparring.extraction.stated_answers import FLAGS
from sparring.scenarios.expansion import Row
from sparring.scenarios.expectations import is_sound, rule_at
from sparring.scenarios.field_reader import MAX_GOALS, FieldReader
from sparring.scenarios.field_types import SINGLE, TEXT, TEXTS, AnyOf, Key, ListOf, Record
from sparring.scenarios.placeholders import as_text, fill

GOAL = Record(
    {
        "asks": Key(TEXT, "what the user asks for or wants done", required=True),
        "answer": Key(
            AnyOf((SINGLE, ListOf(SINGLE))),
            "what the chatbot should say: words, a /regular expression/, a number (12.5 ± 0.5), or a list of which one",
        ),
        "done": Key(TEXT, "an expression that holds once it is done, such as called('cancel_order')"),
        "never": Key(TEXTS, "what the chatbot must never say: words, or a /regular expression/"),
        "otherwise": Key(TEXTS, "values that the user takes, in this order, if the chatbot does not have its own"),
    }
)
GOALS = ListOf(AnyOf((TEXT, GOAL)), most=MAX_GOALS)
_ABOUT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*(?:±|\+-|\+/-)\s*(\d+(?:\.\d+)?)")
_PATTERN = re.compile(r"/(.*)/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GoalSpec:
    """A goal with open placeholders, and the places of its keys."""

    asks: str
    part: FieldReader
    answer: tuple[GoalAnswer, ...] = ()
    done: str = ""
    never: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    places: Mapping[str, FieldReader] = field(default_factory=dict)

    @property
    def phrases(self) -> list[tuple[FieldReader, str]]:
        """All texts with placeholders, with their places."""
        right = [(self.places["answer"], each.pattern or each.text) for each in self.answer]
        others = [(self.places[key], each) for key in ("never", "otherwise") for each in getattr(self, key)]
        return [(self.part, self.asks), *right, *others]

    def filled(self, goal: Goal, values: Row, *, conjunction: str) -> Goal:
        """Return the goal with the right outcome for the values of one conversation."""
        if not self.places:
            return goal
        quoted = {name: re2.escape(as_text(value, conjunction=conjunction)) for name, value in values.items()}
        answer = tuple(
            each.changed(text=fill(each.text, values, conjunction=conjunction), pattern=fill(each.pattern, quoted))
            for each in self.answer
        )
        never = tuple(fill(_pattern_of(each), quoted) for each in self.never)
        otherwise = tuple(fill(each, values, conjunction=conjunction) for each in self.otherwise)
        return goal.changed(answer=answer, done=self.done, never=never, otherwise=otherwise)


def goals(part: FieldReader) -> list[GoalSpec]:
    """Parse a list of goals, each a text or a mapping with what is right."""
    return [_goal(item) for item in part.items(most=MAX_GOALS, what="goals")]


def _goal(part: FieldReader) -> GoalSpec:
    if not isinstance(part.data, dict):
        return GoalSpec(part.text(), part)
    if part.data.keys().isdisjoint(GOAL.keys):
        part.report(
            f"a goal is text, or a mapping with {', '.join(GOAL.keys)}",
            "quote a goal with a colon; put variables under `variables`",
        )
        return GoalSpec("", part)
    keys = part.fields(GOAL)
    return GoalSpec(
        asks=keys["asks"].text() if "asks" in keys else "",
        part=keys.get("asks", part),
        answer=tuple(_answers(keys["answer"])) if "answer" in keys else (),
        done=keys["done"].text() if "done" in keys else "",
        never=tuple(_never(keys["never"])) if "never" in keys else (),
        otherwise=tuple(_otherwise(keys["otherwise"])) if "otherwise" in keys else (),
        places=keys,
    )


def _answers(part: FieldReader) -> Iterator[GoalAnswer]:
    items = part.listed()
    if not items:
        part.report("is empty")
    for item in items:
        if isinstance(item.data, bool) or item.data is None:
            item.report("should be what the chatbot says", "put it in quotes")
        elif isinstance(item.data, int | float):
            yield GoalAnswer(number=item.data)
        elif isinstance(item.data, date):
            yield GoalAnswer(text=item.data.isoformat())
        elif text := item.text():
            yield from _answer(text, item)


def _answer(text: str, part: FieldReader) -> Iterator[GoalAnswer]:
    if about := _ABOUT.fullmatch(text):
        yield GoalAnswer(number=float(about[1]), tolerance=float(about[2]))
    elif not (pattern := _PATTERN.fullmatch(text)):
        yield GoalAnswer(text=text)
    elif is_sound(FLAGS + pattern[1], part):
        yield GoalAnswer(pattern=pattern[1])


def _never(part: FieldReader) -> Iterator[str]:
    for item in part.listed():
        text = item.text()
        pattern = _PATTERN.fullmatch(text)
        if text and (pattern is None or is_sound(FLAGS + pattern[1], item)):
            yield text


def _otherwise(part: FieldReader) -> Iterator[str]:
    for item in part.listed():
        if text := item.text():
            yield text


def _pattern_of(text: str) -> str:
    """Return the pattern of words or of a pattern between slashes."""
    pattern = _PATTERN.fullmatch(text)
    return pattern[1] if pattern else rf"\b{re2.escape(text)}\b" if text[:1].isalnum() else re2.escape(text)


_CALLED = re.compile(r"\b(?:called|attempted|calls|call_order)\(")


def with_goal_expectations(case: Case, specs: Sequence[GoalSpec] = ()) -> Case:
    """Return the case with the expectations of its goals; `specs` have the places of goals in a file."""
    has = {each.goal for each in case.expectations}
    new = [
        expectation
        for number, goal in enumerate(case.goals, 1)
        if number not in has
        for expectation in _expectations(number, goal, specs[number - 1].places if specs else {})
    ]
    return case.changed(expectations=(*case.expectations, *new)) if new else case


def _expectations(number: int, goal: Goal, places: Mapping[str, FieldReader]) -> Iterator[Expectation]:
    if goal.answer:
        yield _expectation(f"answer to {goal.text!r}", f"goal_answer({number})", number, places.get("answer"))
    if goal.done:
        said = f"not done: {goal.text} (expected {goal.done})"
        calls = f" + {'; called were: '!r} + tools_used()" if _CALLED.search(goal.done) else ""
        yield _expectation(f"done: {goal.text}", goal.done, number, places.get("done"), repr(said) + calls)
    for pattern in goal.never:
        literal = repr(FLAGS + pattern)
        said = f"expected the chatbot never to say /{pattern}/; it said: "
        yields = f"{said!r} + ' | '.join([said for said in chatbot_phrases if matches({literal}, said)])"
        yield _expectation(f"never /{pattern}/", f"not chatbot_says({literal})", number, places.get("never"), yields)


def _expectation(name: str, then: str, goal: int, part: FieldReader | None, yields: str = "") -> Expectation:
    file, place = (part.source.file, part.place) if part else ("", None)
    return Expectation(rule=rule_at(then, name=name[:200], yields=yields, file=file, place=place), goal=goal)
