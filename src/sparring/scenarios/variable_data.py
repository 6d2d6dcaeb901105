"""Definitions of variables: function, type, values, excluded combinations and alternatives."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from random import Random

from sparring.core.case import Goal
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.parsing import Data
from sparring.scenarios.expansion import Row
from sparring.scenarios.external_values import ExternalValues, FunctionValues, ModelValues
from sparring.scenarios.field_reader import MAX_VARIABLES, FieldReader, bounded
from sparring.scenarios.field_types import (
    ANYTHING,
    MAPPING,
    SINGLE,
    TEXT,
    AnyOf,
    EntriesOf,
    Key,
    ListOf,
    Record,
    Shared,
)
from sparring.scenarios.file_names import find_folder
from sparring.scenarios.placeholders import fill, placeholders, to_json
from sparring.scenarios.single_values import (
    DAY_RANGE,
    DAYS,
    NUMBERS,
    TYPES,
    day_range,
    days,
    iso,
    numbers,
    single,
    try_read,
)
from sparring.scenarios.variables import Function, Variable, function, problems

_FROM_FILE = Record(
    {"file": Key(TEXT, required=True), "function_name": Key(TEXT, required=True), "args": Key(ANYTHING)}
)
_DATES = Record({"date": Key(DAYS, required=True)})
_DATA = Shared("data", lambda: AnyOf((ListOf(AnyOf((SINGLE, MAPPING))), NUMBERS, DAY_RANGE, _DATES, _FROM_FILE)))
_VARIABLE = Record(
    {
        "function": Key(
            TEXT,
            "how it picks: default(), random(), random(n), random(rand), another(), another(n), forward(), "
            "forward(other), pairwise(), covering(t)",
        ),
        "type": Key(TEXT, "string, int, float, bool or date"),
        "data": Key(_DATA, "a list, a range, dates, or a function that lists them", required=True),
    }
)
VARIABLE = Shared("variable", lambda: _VARIABLE)

_ANY = re.compile(r"\s*any\((.+)\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class VariableSpec:
    """Inputs of a definition besides its text: the seed, today's date, the file, and external values."""

    seed: str
    today: date
    file: Path = Path()
    outside: ExternalValues = field(default_factory=ExternalValues)


def variable(name: str, part: FieldReader, given: VariableSpec) -> Variable:
    """Parse the definition of a variable. A bare list is a variable that takes its whole list."""
    random = Random(f"{given.seed}/{name}/data")
    if isinstance(part.data, list):
        return Variable(name, _values("", part, given, random))
    fields = part.fields(_VARIABLE)
    kind = fields["type"].one_of(TYPES) if "type" in fields else ""
    call = _function(fields["function"]) if "function" in fields else Function("default")
    data = fields["data"].data if "data" in fields else None
    if not kind and isinstance(data, list) and any(isinstance(each, dict) for each in data):
        return Variable(name, tuple(map(to_json, data)), call)
    return Variable(name, _values(kind, fields["data"], given, random) if "data" in fields else (), call)


def _function(part: FieldReader) -> Function:
    written = part.text()
    return (try_read(part, lambda: function(written)) if written else None) or Function("default")


def _values(kind: str, part: FieldReader, given: VariableSpec, random: Random) -> tuple[Json, ...]:
    complaints = len(part.problems)
    values = tuple(value for value in _written(kind, part, given, random) if value is not None)
    if not values and len(part.problems) == complaints:
        part.report("there are no values to choose from")
    return values


def _written(kind: str, part: FieldReader, given: VariableSpec, random: Random) -> Iterable[Json]:
    """Return the values of any form: single ones, dates, a range, or the list of a function."""
    if isinstance(part.data, list):
        return _listed(kind, part.items(), given)
    if not isinstance(part.data, dict):
        part.report("should be a list, or a range like {min: 1, max: 6, step: 1}")
        return []
    if "date" in part.data:
        named = part.fields(_DATES)
        return days(kind, named["date"], given.today, random) if "date" in named else []
    if "file" in part.data:
        return _computed(kind, part, given)
    if kind == "date":
        return map(iso, day_range(part, random))
    if kind in ("int", "float"):
        return numbers(kind, part)
    part.report(f"a range of {kind or 'values without a type'} is not possible", "use a list, or the type int or float")
    return []


def _listed(kind: str, items: Sequence[FieldReader], given: VariableSpec) -> list[Json]:
    """Return the given values, then the generated ones, without duplicates."""
    wishes = [item for item in items if isinstance(item.data, str) and _ANY.fullmatch(item.data)]
    values = [single(kind, item) for item in items if item not in wishes]
    known = tuple(str(value) for value in values if value is not None)
    for item in wishes:
        made_up = (single(kind, item.with_data(value)) for value in _made_up(kind, item, known, given))
        values += [value for value in made_up if value not in values]
    return values


def _made_up(kind: str, part: FieldReader, known: tuple[str, ...], given: VariableSpec) -> Sequence[Data]:
    wish = ModelValues(_ANY.sub(r"\1", part.text()).strip(), kind, known)
    return try_read(part, lambda: given.outside.make_up(wish)) or ()


def _computed(kind: str, part: FieldReader, given: VariableSpec) -> list[Json]:
    fields = part.fields(_FROM_FILE)
    if "file" not in fields or "function_name" not in fields:
        return []
    arguments = fields["args"].data if "args" in fields else []
    file = fields["file"].text()
    call = FunctionValues(
        folder=find_folder(given.file, Path(file)),
        file=file,
        function=fields["function_name"].text(),
        kind=kind,
        arguments=json.dumps(arguments if isinstance(arguments, list) else [arguments], default=str),
        seed=given.seed,
    )
    return [single(kind, part.with_data(value)) for value in try_read(part, lambda: given.outside.compute(call)) or ()]


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
        found = variable(name, part, given)
        return found if "function" in part.data else replace(found, function=Function("forward"))
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
