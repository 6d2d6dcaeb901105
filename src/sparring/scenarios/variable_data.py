"""Definitions of variables: function, type and values."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from random import Random

from sparring.core.value import Json
from sparring.parsing import Data
from sparring.scenarios.external_values import ExternalValues, FunctionValues, ModelValues
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import ANYTHING, MAPPING, SINGLE, TEXT, AnyOf, Key, ListOf, Record, Shared
from sparring.scenarios.file_names import find_folder
from sparring.scenarios.placeholders import to_json
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
from sparring.scenarios.variables import Function, Variable, function

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
