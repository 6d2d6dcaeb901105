"""What a goal's variables might have held instead: of small, medium and big, the two that were not chosen."""

from collections.abc import Iterator, Sequence

from sparring.core.case import Goal
from sparring.core.value import Json
from sparring.scenarios.expanding import Row
from sparring.scenarios.phrases import fill, placeholders
from sparring.scenarios.variables import Variable

_FEW = 30
"""More values than these are no list to choose from, and would be kept with every case."""


def filled_goal(phrase: str, row: Row, variables: Sequence[Variable], *, conjunction: str) -> Goal:
    """The goal of the conversation that has these values, with what else it could have chosen."""
    names = placeholders(phrase)
    return Goal(text=fill(phrase, row, conjunction=conjunction), variables=names, others=_others(names, row, variables))


def _others(names: Sequence[str], row: Row, variables: Sequence[Variable]) -> dict[str, tuple[str, ...]]:
    """By the names of variables; what any variable of the conversation holds is no other choice."""
    chosen = {word.casefold() for value in row.values() for word in _words(value)}
    left = {
        variable.name: tuple(
            dict.fromkeys(word for value in variable.values for word in _words(value) if word.casefold() not in chosen)
        )
        for variable in variables
        if variable.name in names and len(variable.values) <= _FEW
    }
    return {name: words for name, words in left.items() if words}


def _words(value: Json) -> Iterator[str]:
    """Plain words: of days, times, numbers and codes a reader knows itself which are others."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and len(each) > 2 and not any(character.isdigit() for character in each):
            yield each
