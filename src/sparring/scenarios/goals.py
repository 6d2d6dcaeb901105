"""Goals: what the user wants, in phrases with placeholders, and the variables that fill them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring.core.case import Goal
from sparring.scenarios.bounds import MAX_GOALS, MAX_VARIABLES, bounded
from sparring.scenarios.data import Given, variable
from sparring.scenarios.expanding import Row
from sparring.scenarios.items import tried
from sparring.scenarios.other_choices import filled_goal
from sparring.scenarios.part import Part
from sparring.scenarios.placeholders import check_placeholders
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


def goals(part: Part, given: Given) -> Goals:
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


def _variable(name: str, part: Part, given: Given, called: tuple[Part, str] | None) -> Variable:
    if isinstance(part.data, str):
        part.wrong("a variable needs a function, a type and data", "a goal with a colon in it needs quotes")
        return Variable(name, ())
    found = variable(name, part, given)
    if called is None or not isinstance(part.data, list):
        return found
    phrase, call = called
    return replace(found, function=tried(phrase, lambda: function(call)) or found.function)


def _check_names(definitions: Sequence[tuple[str, Part]]) -> None:
    seen = set()
    for name, part in definitions:
        if name in seen:
            part.wrong(f"there is a variable {name!r} already", key=True)
        seen.add(name)


def _check_references(phrases: Sequence[Part], definitions: dict[str, Part], found: Goals) -> None:
    for problem in problems(found.variables):
        definitions[problem.path].wrong(problem.message, problem.hint)
    check_placeholders(zip(phrases, found.phrases, strict=True), definitions)
