"""Goals with their variables, hints for users without a model, and outputs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring.core.case import Goal, OutputSpec
from sparring.core.text import did_you_mean
from sparring.extraction import typed_values
from sparring.parsing.regex import pattern_problem
from sparring.scenarios.expansion import Row
from sparring.scenarios.field_reader import MAX_GOALS, MAX_VARIABLES, FieldReader, bounded
from sparring.scenarios.field_types import BOOLEAN, NOTHING, SINGLE, TEXT, AnyOf, EntriesOf, Key, ListOf, Record, Shared
from sparring.scenarios.placeholders import check_placeholders
from sparring.scenarios.single_values import try_read
from sparring.scenarios.variable_data import VARIABLE, VariableSpec, fill_goal, variable
from sparring.scenarios.variables import Variable, function, problems

_CALLED = re.compile(r"\{\{([^{}.]+)\.(\w+\([^{}()]*\))\s*\}\}")


@dataclass(frozen=True, slots=True)
class Goals:
    """Phrases with placeholders, and the variables that fill them."""

    phrases: tuple[str, ...]
    variables: tuple[Variable, ...]

    def filled(self, values: Row, *, conjunction: str) -> tuple[Goal, ...]:
        """Return the goals of the conversation with these values."""
        return tuple(fill_goal(phrase, values, self.variables, conjunction=conjunction) for phrase in self.phrases)


def goals(part: FieldReader, given: VariableSpec) -> Goals:
    """Parse a list of phrases and of the variables that they share.

    The oldest profiles call the function in the phrase, `{{size.random()}}`, of a variable that is a bare list.
    """
    items = part.items()
    phrases = bounded(part, [item for item in items if not isinstance(item.data, dict)], MAX_GOALS, "goals")
    defined = [entry for item in items if isinstance(item.data, dict) for entry in item.entries()]
    definitions = bounded(part, defined, MAX_VARIABLES, "variables")
    if not phrases and isinstance(part.data, list):
        part.report("there is no goal")
    texts = [phrase.text() for phrase in phrases]
    called = {
        name.strip(): (phrase, call)
        for phrase, text in zip(phrases, texts, strict=True)
        for name, call in _CALLED.findall(text)
    }
    found = Goals(
        tuple(_CALLED.sub(r"{{\1}}", text) for text in texts),
        tuple(_variable(name, item, given, called.get(name)) for name, item in definitions),
    )
    _check_names(definitions)
    _check_references(phrases, dict(defined), found)
    return found


def _variable(name: str, part: FieldReader, given: VariableSpec, called: tuple[FieldReader, str] | None) -> Variable:
    if isinstance(part.data, str):
        part.report("a variable needs a function, a type and data", "a goal with a colon in it needs quotes")
        return Variable(name, ())
    found = variable(name, part, given)
    if called is None or not isinstance(part.data, list):
        return found
    phrase, call = called
    return replace(found, function=try_read(phrase, lambda: function(call)) or found.function)


def _check_names(definitions: Sequence[tuple[str, FieldReader]]) -> None:
    seen = set()
    for name, part in definitions:
        if name in seen:
            part.report(f"there is a variable {name!r} already", key=True)
        seen.add(name)


def _check_references(phrases: Sequence[FieldReader], definitions: dict[str, FieldReader], found: Goals) -> None:
    for problem in problems(found.variables):
        definitions[problem.path].report(problem.message, problem.hint)
    check_placeholders(zip(phrases, found.phrases, strict=True), definitions)


def hints(part: FieldReader) -> dict[str, tuple[FieldReader, str]]:
    """Parse answers by pattern, each with its place: the name of a variable, or words with placeholders."""
    return {pattern: (item, item.text()) for pattern, item in part.entries() if _sound(pattern, item)}


def _sound(pattern: str, part: FieldReader) -> bool:
    if problem := pattern_problem(pattern):
        part.report(f"is not a regular expression: {problem}", key=True)
    return not problem


_OUTPUT = Record(
    {
        "type": Key(TEXT, "string, money, int, float, bool, date, time, email, phone, ..."),
        "description": Key(TEXT, "what the value is"),
        "ask": Key(BOOLEAN, "add a goal that asks for it; otherwise the user is not told about it"),
    }
)
_NAMED = EntriesOf(Shared("output", lambda: AnyOf((TEXT, NOTHING, _OUTPUT))))
OUTPUTS = (_NAMED, ListOf(_NAMED))
"""The forms of outputs."""

PROFILE_GOALS = ListOf(Shared("goal", lambda: AnyOf((TEXT, EntriesOf(AnyOf((ListOf(SINGLE), VARIABLE)))))))


def outputs(part: FieldReader) -> tuple[OutputSpec, ...]:
    """Parse output names, each with a type and a description, or with a type alone."""
    found: dict[str, OutputSpec] = {}
    for name, item in part.entries():
        if name in found:
            item.report(f"there is an output {name!r} already", key=True)
        found[name] = _output(name, item)
    return tuple(found.values())


def _output(name: str, part: FieldReader) -> OutputSpec:
    if isinstance(part.data, str):
        return OutputSpec(name=name, type=_type(part))
    fields = part.fields(_OUTPUT) if part.data is not None else {}
    return OutputSpec(
        name=name,
        type=_type(fields["type"]) if "type" in fields else "string",
        description=fields["description"].text() if "description" in fields else "",
        ask="ask" in fields and fields["ask"].boolean(),
    )


def asking_goals(wanted: Sequence[OutputSpec]) -> tuple[Goal, ...]:
    """Return a goal for each output that the user is to ask for."""
    return tuple(
        Goal(text=each.description or each.name.replace("_", " "), output=each.name) for each in wanted if each.ask
    )


def _type(part: FieldReader) -> str:
    """Parse the type of an output. Unknown types are text, but a misspelled one is a problem."""
    named = part.text()
    if len(named) > 2 and named[0] == named[-1] == "/":
        if problem := pattern_problem(named[1:-1]):
            part.report(f"is not a regular expression: {problem}")
    elif (
        not typed_values.is_known_type(named)
        and named.isalpha()
        and (hint := did_you_mean(named, typed_values.type_names()))
    ):
        part.report(f"{named!r} is not an output type", hint)
    return named
