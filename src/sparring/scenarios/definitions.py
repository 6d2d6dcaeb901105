"""Variables of scenario files, excluded combinations, and the alternatives to a goal's values."""

from collections.abc import Iterator, Mapping, Sequence

from sparring.core.case import Goal
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.scenarios.expansion import Row
from sparring.scenarios.field_reader import MAX_VARIABLES, FieldReader, bounded
from sparring.scenarios.field_types import SINGLE, AnyOf, EntriesOf, Key, ListOf
from sparring.scenarios.placeholders import fill, placeholders
from sparring.scenarios.variable_data import VARIABLE, VariableSpec, variable
from sparring.scenarios.variables import Function, Variable, problems


def definitions(parts: Sequence[FieldReader], given: VariableSpec) -> tuple[Variable, ...]:
    """Parse the variables of several mappings; a later one replaces an earlier one of its name."""
    places = {name: item for part in parts for name, item in part.entries()}
    few = bounded(parts[-1], list(places.items()), MAX_VARIABLES, "variables") if parts else ()
    found = tuple(_definition(name, item, given) for name, item in few)
    for problem in problems(found):
        places[problem.path].report(problem.message, problem.hint)
    return found


_VALUE = AnyOf((SINGLE, ListOf(SINGLE), VARIABLE))
VARIABLES = Key(EntriesOf(_VALUE), "a value, a list of which every conversation takes one, or {function, type, data}")
NEVER = Key(ListOf(EntriesOf(SINGLE)), "values that never occur together")


def never(part: FieldReader, variables: Sequence[Variable]) -> tuple[Row, ...]:
    """Parse combinations of values to exclude, each a mapping from variables to values."""
    covered = {each.name: each for each in variables if each.function.name in ("pairwise", "covering")}
    return tuple(values for item in part.items() if (values := _together(item, covered)))


def _definition(name: str, part: FieldReader, given: VariableSpec) -> Variable:
    """Parse a variable: a value, a list to walk through, or a mapping with details."""
    if isinstance(part.data, dict):
        return variable(name, part, given)
    listed = part if isinstance(part.data, list) else part.with_data([part.data])
    return Variable(name, variable(name, listed, given).values, Function("forward"))


def _together(part: FieldReader, covered: Mapping[str, Variable]) -> Row:
    """Return the values of one excluded combination; report problems and return none if one is wrong."""
    values: Row = {}
    complaints = len(part.problems)
    for name, item in part.entries():
        if name not in covered:
            item.report("is not a variable of pairwise() or covering()", suggest(name, covered), key=True)
        elif item.data not in covered[name].values:
            item.report(f"is not a value of {name}", suggest(str(item.data), map(str, covered[name].values)))
        else:
            values[name] = next(value for value in covered[name].values if value == item.data)
    if len({covered[name].function for name in values}) > 1:
        part.report("these variables are not covered together", "give them the same function")
    return values if len(part.problems) == complaints else {}


_FEW = 30
"""The largest number of values to choose from whose alternatives are stored with every case."""


def fill_goal(phrase: str, row: Row, variables: Sequence[Variable], *, conjunction: str) -> Goal:
    """Return the goal with these values, and the alternatives to them."""
    names = placeholders(phrase)
    return Goal(text=fill(phrase, row, conjunction=conjunction), variables=names, others=_others(names, row, variables))


def _others(names: Sequence[str], row: Row, variables: Sequence[Variable]) -> dict[str, tuple[str, ...]]:
    """Return the alternatives by variable, without values that any variable of the conversation has."""
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
    """Yield plain words. Extraction itself tells days, times, numbers and codes from their alternatives."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and len(each) > 2 and not any(character.isdigit() for character in each):
            yield each
