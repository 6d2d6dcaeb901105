"""Goals: what the user wants, in phrases with placeholders, and the variables that fill them.

Hints for a user without a model: what the chatbot may ask, and what to answer then.

Outputs: what is to be read out of what the chatbot says.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring.core.case import Goal, OutputSpec
from sparring.core.text import did_you_mean
from sparring.extraction import typed_values
from sparring.parsing.regex import pattern_problem
from sparring.scenarios.definitions import filled_goal
from sparring.scenarios.expansion import Row
from sparring.scenarios.field_reader import MAX_GOALS, MAX_VARIABLES, FieldReader, bounded
from sparring.scenarios.placeholders import check_placeholders
from sparring.scenarios.single_values import tried
from sparring.scenarios.variable_data import VariableSpec, variable
from sparring.scenarios.variables import Variable, function, problems

_CALLED = re.compile(r"\{\{([^{}.]+)\.(\w+\([^{}()]*\))\s*\}\}")


@dataclass(frozen=True, slots=True)
class Goals:
    """Phrases, and variables."""

    phrases: tuple[str, ...]
    variables: tuple[Variable, ...]

    def filled(self, values: Row, *, conjunction: str) -> tuple[Goal, ...]:
        """The goals of the conversation that has these values."""
        return tuple(filled_goal(phrase, values, self.variables, conjunction=conjunction) for phrase in self.phrases)


def goals(part: FieldReader, given: VariableSpec) -> Goals:
    """A list of phrases, with the variables they use between them.

    The oldest profiles name the function in the phrase, `{{size.random()}}`, of a variable that is a bare list.
    """
    items = part.items()
    phrases = bounded(part, [item for item in items if not isinstance(item.data, dict)], MAX_GOALS, "goals")
    defined = [entry for item in items if isinstance(item.data, dict) for entry in item.entries()]
    definitions = bounded(part, defined, MAX_VARIABLES, "variables")
    if not phrases and isinstance(part.data, list):
        part.wrong("there is no goal")
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
        part.wrong("a variable needs a function, a type and data", "a goal with a colon in it needs quotes")
        return Variable(name, ())
    found = variable(name, part, given)
    if called is None or not isinstance(part.data, list):
        return found
    phrase, call = called
    return replace(found, function=tried(phrase, lambda: function(call)) or found.function)


def _check_names(definitions: Sequence[tuple[str, FieldReader]]) -> None:
    seen = set()
    for name, part in definitions:
        if name in seen:
            part.wrong(f"there is a variable {name!r} already", key=True)
        seen.add(name)


def _check_references(phrases: Sequence[FieldReader], definitions: dict[str, FieldReader], found: Goals) -> None:
    for problem in problems(found.variables):
        definitions[problem.path].wrong(problem.message, problem.hint)
    check_placeholders(zip(phrases, found.phrases, strict=True), definitions)


def hints(part: FieldReader) -> dict[str, tuple[FieldReader, str]]:
    """By pattern: the part with the answer, and the answer, a variable's name or words with placeholders."""
    return {pattern: (item, item.text()) for pattern, item in part.entries() if _sound(pattern, item)}


def _sound(pattern: str, part: FieldReader) -> bool:
    if problem := pattern_problem(pattern):
        part.wrong(f"is no regular expression: {problem}", key=True)
    return not problem


def outputs(part: FieldReader) -> tuple[OutputSpec, ...]:
    """Names, each with a type and a description, or with a type alone."""
    found: dict[str, OutputSpec] = {}
    for name, item in part.entries():
        if name in found:
            item.wrong(f"there is an output {name!r} already", key=True)
        found[name] = _output(name, item)
    return tuple(found.values())


def _output(name: str, part: FieldReader) -> OutputSpec:
    if isinstance(part.data, str):
        return OutputSpec(name=name, type=_type(part))
    fields = part.fields(("type", "description")) if part.data is not None else {}
    return OutputSpec(
        name=name,
        type=_type(fields["type"]) if "type" in fields else "string",
        description=fields["description"].text() if "description" in fields else "",
    )


def _type(part: FieldReader) -> str:
    """A type; one that nobody knows is read as a text, but not one that is only misspelt."""
    named = part.text()
    if not typed_values.known(named) and named.isalpha() and (hint := did_you_mean(named, typed_values.names())):
        part.wrong(f"{named!r} is no type of output", hint)
    return named
