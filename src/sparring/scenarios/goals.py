"""Goals: what the user wants, in phrases with placeholders, and the variables that fill them."""

from dataclasses import dataclass

from sparring.core.case import Goal
from sparring.scenarios.data import Given, variable
from sparring.scenarios.expanding import Row
from sparring.scenarios.part import Part
from sparring.scenarios.phrases import fill, placeholders
from sparring.scenarios.spelling import meant
from sparring.scenarios.variables import Variable, problems


@dataclass(frozen=True, slots=True)
class Goals:
    """Phrases, and variables."""

    phrases: tuple[str, ...]
    variables: tuple[Variable, ...]

    def filled(self, values: Row, *, conjunction: str) -> tuple[Goal, ...]:
        """The goals of the conversation that has these values."""
        return tuple(
            Goal(text=fill(phrase, values, conjunction=conjunction), variables=placeholders(phrase))
            for phrase in self.phrases
        )


def goals(part: Part, given: Given) -> Goals:
    """A list of phrases, with the variables they use between them."""
    items = part.items()
    phrases = [item for item in items if not isinstance(item.data, dict)]
    definitions = [entry for item in items if isinstance(item.data, dict) for entry in item.entries()]
    if not phrases and isinstance(part.data, list):
        part.wrong("there is no goal")
    found = Goals(
        tuple(phrase.text() for phrase in phrases),
        tuple(_variable(name, item, given) for name, item in definitions),
    )
    _check_names(definitions)
    _check_references(phrases, dict(definitions), found)
    return found


def _variable(name: str, part: Part, given: Given) -> Variable:
    if isinstance(part.data, str):
        part.wrong("a variable needs a function, a type and data", "a goal with a colon in it needs quotes")
        return Variable(name, ())
    return variable(name, part, given)


def _check_names(definitions: list[tuple[str, Part]]) -> None:
    seen = set()
    for name, part in definitions:
        if name in seen:
            part.wrong(f"there is a variable {name!r} already", key=True)
        seen.add(name)


def _check_references(phrases: list[Part], definitions: dict[str, Part], found: Goals) -> None:
    for problem in problems(found.variables):
        definitions[problem.path].wrong(problem.message, problem.hint)
    for part, phrase in zip(phrases, found.phrases, strict=True):
        for name in placeholders(phrase):
            if name not in definitions:
                part.wrong(f"{{{{{name}}}}} is no variable", meant(name, definitions))
