"""Single values, each as the type of its variable wants it."""

from collections.abc import Callable
from datetime import date
from typing import TypeVar

from sparring.core.value import Json
from sparring.parsing import Data
from sparring.scenarios import dates
from sparring.scenarios.part import Part

TYPES = ("string", "int", "float", "bool", "date")
ALSO = {"str": "string", "integer": "int", "number": "float", "boolean": "bool"}
ONE = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "date": "a date written day/month/year",
}

Found = TypeVar("Found")


def single(kind: str, part: Part) -> Json:
    """A value of a list as its type wants it; None, with a complaint, where it is something else."""
    value = part.data
    if kind == "date" and isinstance(value, str | date):
        return tried(part, lambda: iso(dates.day(value)))
    if not kind or _fits(kind, value):
        return _plain(part)
    part.wrong(f"should be {ONE[kind]}", "put it in quotes" if kind == "string" else "")
    return None


def _fits(kind: str, value: Data) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    return (kind == "string" and isinstance(value, str | date)) or is_number(kind, value)


def is_number(kind: str, value: Data) -> bool:
    if isinstance(value, bool):
        return False
    return (kind in ("int", "float") and isinstance(value, int)) or (kind == "float" and isinstance(value, float))


def _plain(part: Part) -> Json:
    """Any single value, as it is written."""
    value = part.data
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, list | dict):
        part.wrong("should be a single value")
        return None
    return value


def tried(part: Part, read: Callable[[], Found]) -> Found | None:
    """What `read` finds; None, with its complaint, where it finds nothing."""
    try:
        return read()
    except ValueError as error:
        part.wrong(str(error))
        return None


def iso(day: date) -> str:
    """A date as year-month-day."""
    return day.isoformat()
