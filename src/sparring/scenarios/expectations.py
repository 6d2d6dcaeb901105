"""Expectations and rubrics of a scenario."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from sparring.core.checks import Clause, Expectation, Rule
from sparring.parsing.regex import matches_everything, pattern_problem
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import COUNT, TEXT, AnyOf, Key, ListOf, Record, Shared
from sparring.scenarios.file_names import find_nearby

_TEXTS = Record(
    {
        "name": Key(TEXT, "what it is called"),
        "description": Key(TEXT, "for people"),
        "when": Key(TEXT, "when it holds"),
        "if": Key(TEXT, "the same"),
        "then": Key(TEXT, "what must hold", required=True),
        "yields": Key(TEXT, "explains a failure"),
    }
)
_KEYS = _TEXTS | Record({"after": Key(COUNT, "the step of the script after which it holds")})
_ONE = Shared("expectation", lambda: AnyOf((TEXT, _KEYS)))
EXPECTATIONS = Shared("expectations", lambda: AnyOf((_ONE, ListOf(_ONE))))


def expectations(part: FieldReader, *, after: int | None = None, steps: int = 0) -> tuple[Expectation, ...]:
    """Parse a list of expressions, or of mappings with the keys of a rule.

    `after` is the step of the script (from 1) after which they hold. Without it, each may name one of `steps` itself.
    """
    return tuple(found for item in part.listed() if (found := _expectation(item, after, steps)))


def _expectation(part: FieldReader, after: int | None, steps: int) -> Expectation | None:
    if not isinstance(part.data, dict):
        then = part.text()
        return _expected({"then": then}, part, {"then": part}, after) if then else None
    fields = part.fields(_KEYS)
    if "after" in fields:
        after = _after(fields["after"], after, steps)
    texts = {name: more.text() for name, more in fields.items() if name in _TEXTS.keys}
    return _expected(texts, part, fields, after) if texts.get("then") else None


def _after(part: FieldReader, step: int | None, steps: int) -> int:
    after = part.integer()
    if step is not None:
        part.report("is set by the step already", key=True)
    elif after > steps:
        part.report("there is no script" if not steps else f"the script has {steps} step{'s' * (steps != 1)}")
    return after


def _expected(
    texts: dict[str, str], part: FieldReader, clauses: Mapping[str, FieldReader], after: int | None
) -> Expectation:
    places = {name: {**clauses[name].place, "exact": False} for name in get_args(Clause) if name in clauses}
    where = {"file": part.source.file, "line": part.place["line"], "places": places}
    return Expectation(rule=Rule.model_validate({"name": texts["then"], **texts, **where}), after=after)


def rule_at(
    then: str, *, name: str, yields: str = "", about: str = "", file: str = "", place: Mapping[str, int] | None = None
) -> Rule:
    """Return the rule of an expectation whose clauses all stand at one place of a file."""
    fields: dict[str, object] = {"name": name, "description": about, "then": then, "yields": yields}
    if place is not None:
        near = {**place, "exact": False}
        fields |= {"file": file, "line": place["line"], "places": {"then": near, "yields": near}}
    return Rule.model_validate(fields)


def is_sound(pattern: str, part: FieldReader) -> bool:
    """Report a pattern that is not supported or matches every text; return True for any other."""
    if problem := pattern_problem(pattern):
        part.report(f"is not a supported regular expression: {problem}")
    elif matches_everything(pattern):
        part.report("matches every text, so it checks nothing")
    else:
        return True
    return False


_ENDINGS = (".md", ".yaml", ".yml")


def rubrics(part: FieldReader) -> tuple[str, ...]:
    """Parse rubrics: files in the folder of the scenario or in one above it, or names of bundled ones."""
    return tuple(found for item in part.listed() if (found := _rubric(item)))


def _rubric(part: FieldReader) -> str:
    written = part.text()
    if Path(written).suffix not in _ENDINGS:
        return written
    found = find_nearby(Path(part.source.file), Path(written))
    if found is None:
        part.report("there is no such rubric", "it should be a path from the folder of this file, or from one above it")
        return ""
    return str(found)
