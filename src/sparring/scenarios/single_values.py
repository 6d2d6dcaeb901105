"""Values of a variable's type: single ones, ranges of numbers, and dates in all of SENSEI's forms."""

from collections.abc import Callable, Iterator
from datetime import date
from random import Random
from typing import TypeVar

from sparring.core.value import Json
from sparring.parsing import Data
from sparring.scenarios import date_values
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import COUNT, TEXT, TEXTS, Key, OneOf, Plain, Record

_NUMBER = Plain(("number",))

TYPES = OneOf(
    ("string", "int", "float", "bool", "date"),
    also={"str": "string", "integer": "int", "number": "float", "boolean": "bool"},
)
NUMBERS = Record(
    {
        "min": Key(_NUMBER, required=True),
        "max": Key(_NUMBER, required=True),
        "step": Key(_NUMBER, also=("steps",)),
        "linspace": Key(COUNT),
    }
)
DAY_RANGE = Record(
    {"min": Key(TEXT, required=True), "max": Key(TEXT, required=True), "step": Key(TEXT), "random": Key(COUNT)}
)
DAYS = Record(
    {
        "custom": Key(TEXTS),
        "random": Key(COUNT),
        "set": Key(TEXT, ">today(n) or <today(n)"),
        "range": Key(DAY_RANGE),
        "fake": Key(COUNT, "so many dates that do not exist"),
    }
)
ONE = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "date": "a date written day/month/year",
}

Found = TypeVar("Found")


def single(kind: str, part: FieldReader) -> Json:
    """Return a value in the variable's type; report a problem and return None if it does not fit."""
    value = part.data
    if kind == "date" and isinstance(value, str | date):
        return try_read(part, lambda: iso(date_values.parse_date(value)))
    if not kind or _fits(kind, value):
        return _plain(part)
    part.report(f"should be {ONE[kind]}", "put it in quotes" if kind == "string" else "")
    return None


def _fits(kind: str, value: Data) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    return (kind == "string" and isinstance(value, str | date)) or is_number(kind, value)


def is_number(kind: str, value: Data) -> bool:
    if isinstance(value, bool):
        return False
    return (kind in ("int", "float") and isinstance(value, int)) or (kind == "float" and isinstance(value, float))


def _plain(part: FieldReader) -> Json:
    """Return any single value as it is written."""
    value = part.data
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, list | dict):
        part.report("should be a single value")
        return None
    return value


def try_read(part: FieldReader, read: Callable[[], Found]) -> Found | None:
    """Return the result of `read`; report its `ValueError` as a problem and return None."""
    try:
        return read()
    except ValueError as error:
        part.report(str(error))
        return None


def iso(day: date) -> str:
    """Return a date as year-month-day."""
    return day.isoformat()


def numbers(kind: str, part: FieldReader) -> list[Json]:
    fields = part.fields(NUMBERS)
    if "linspace" in fields and "step" in fields:
        fields["linspace"].report("give a step or a linspace, not both")
    first, last = (_bound(kind, fields[name]) if name in fields else None for name in ("min", "max"))
    step = _bound(kind, fields["step"]) if "step" in fields else 1
    if kind == "float" and "linspace" not in fields and "step" not in fields:
        part.report("a range of decimal numbers needs a step or a linspace")
    if first is None or last is None or step is None:
        return []
    if "linspace" in fields:
        number = fields["linspace"].integer()
        return list(
            try_read(part, lambda: date_values.equidistant_numbers(first, last, number, whole=kind == "int")) or ()
        )
    return list(try_read(part, lambda: date_values.number_range(first, last, step)) or ())


def _bound(kind: str, part: FieldReader) -> float | None:
    value = part.data
    if isinstance(value, int | float) and is_number(kind, value):
        return value
    part.report(f"should be {ONE[kind]}")
    return None


def days(kind: str, part: FieldReader, today: date, random: Random) -> Iterator[Json]:
    """Return SENSEI's dates: those of `random`, `set`, `range` and `fake`, then the `custom` ones."""
    written = iso if kind == "date" else _day_first
    fields = part.fields(DAYS)
    if "random" in fields:
        number = fields["random"].integer()
        yield from map(written, try_read(fields["random"], lambda: date_values.any_dates(number, random)) or ())
    if "set" in fields:
        rule = fields["set"].text()
        yield from map(
            written, try_read(fields["set"], lambda: date_values.dates_near_today(rule, today, random)) or ()
        )
    if "range" in fields:
        yield from map(written, day_range(fields["range"], random))
    if "fake" in fields:
        wanted = fields["fake"].integer()
        yield from try_read(fields["fake"], lambda: date_values.impossible_dates(wanted, random)) or ()
    if "custom" in fields:
        custom = fields["custom"]
        yield from (single(kind, item) for item in custom.listed())


def day_range(part: FieldReader, random: Random) -> list[date]:
    fields = part.fields(DAY_RANGE)
    first, last = (_day(fields[name]) if name in fields else None for name in ("min", "max"))
    number = fields["random"].integer() if "random" in fields else 0
    step = fields["step"].text() if "step" in fields else "day(1)"
    if first is None or last is None:
        return []
    if number:
        return try_read(part, lambda: date_values.random_dates(first, last, number, random)) or []
    return try_read(fields.get("step", part), lambda: date_values.date_range(first, last, step)) or []


def _day(part: FieldReader) -> date | None:
    written = part.data
    if isinstance(written, str | date):
        return try_read(part, lambda: date_values.parse_date(written))
    part.report(f"should be {ONE['date']}")
    return None


def _day_first(day: date) -> str:
    return day.strftime(date_values.FORMAT)
