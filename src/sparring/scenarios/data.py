"""Reading a variable: its function, its type, and the values it may take, as a list, a range, or dates."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import TypeVar

from sparring.core.value import Json
from sparring.documents import Data
from sparring.scenarios import dates, ranges
from sparring.scenarios.part import Part
from sparring.scenarios.variables import Function, Variable, function

TYPES = ("string", "int", "float", "bool", "date")
_ALSO = {"str": "string", "integer": "int", "number": "float", "boolean": "bool"}

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Given:
    """What data may depend on besides what is written: the seed, and today's date."""

    seed: str
    today: date


def variable(name: str, part: Part, given: Given) -> Variable:
    """The variable that `part` defines. A bare list is all there is to say about one that takes its whole list."""
    if isinstance(part.data, list):
        return Variable(name, _values("", part, given.today, Random()))
    fields = part.fields(("function", "type", "data"), required=("data",))
    kind = fields["type"].one_of(TYPES, also=_ALSO) if "type" in fields else ""
    call = _function(fields["function"]) if "function" in fields else Function("default")
    random = Random(f"{given.seed}/{name}/data")
    return Variable(name, _values(kind, fields["data"], given.today, random) if "data" in fields else (), call)


def _function(part: Part) -> Function:
    written = part.text()
    try:
        return function(written) if written else Function("default")
    except ValueError as error:
        part.wrong(str(error))
        return Function("default")


def _values(kind: str, part: Part, today: date, random: Random) -> tuple[Json, ...]:
    complaints = len(part.problems)
    values = tuple(value for value in _written(kind, part, today, random) if value is not None)
    if not values and len(part.problems) == complaints:
        part.wrong("there is nothing to choose from")
    return values


def _written(kind: str, part: Part, today: date, random: Random) -> Iterable[Json]:
    """The values as they are written: one by one, as dates, or as a range."""
    if isinstance(part.data, list):
        return [_item(kind, item) for item in part.items()]
    if not isinstance(part.data, dict):
        part.wrong("should be a list, or a range like {min: 1, max: 6, step: 1}")
        return []
    if "date" in part.data:
        named = part.fields(("date",), required=("date",))
        return _dates(kind, named["date"], today, random) if "date" in named else []
    if kind == "date":
        return map(_iso, _date_range(part, random))
    if kind in ("int", "float"):
        return _range(kind, part)
    part.wrong(f"a range of {kind or 'values without a type'} is not possible", "use a list, or the type int or float")
    return []


def _item(kind: str, part: Part) -> Json:
    """A value of a list as its type wants it; None, with a complaint, where it is something else."""
    value = part.data
    if kind == "string" and isinstance(value, str) and "any(" in value:
        part.wrong("any() needs a language model to make values up", "list the values instead")
        return None
    if kind == "date" and isinstance(value, str | date):
        return _tried(part, lambda: _iso(dates.day(value)))
    if not kind or _fits(kind, value):
        return _plain(part)
    part.wrong(f"should be {_ONE[kind]}", "put it in quotes" if kind == "string" else "")
    return None


_ONE = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "date": "a date written day/month/year",
}


def _fits(kind: str, value: Data) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    return (kind == "string" and isinstance(value, str | date)) or _number(kind, value)


def _number(kind: str, value: Data) -> bool:
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


def _range(kind: str, part: Part) -> list[Json]:
    fields = part.fields(("min", "max", "step", "linspace"), also={"steps": "step"}, required=("min", "max"))
    if "linspace" in fields and "step" in fields:
        fields["linspace"].wrong("give a step or a linspace, not both")
    first, last = (_bound(kind, fields[name]) if name in fields else None for name in ("min", "max"))
    step = _bound(kind, fields["step"]) if "step" in fields else 1
    if kind == "float" and "linspace" not in fields and "step" not in fields:
        part.wrong("a range of decimal numbers needs a step or a linspace")
    if first is None or last is None or step is None:
        return []
    if "linspace" in fields:
        number = fields["linspace"].whole()
        return list(_tried(part, lambda: ranges.spread(first, last, number, whole=kind == "int")) or ())
    return list(_tried(part, lambda: ranges.stepped(first, last, step)) or ())


def _bound(kind: str, part: Part) -> float | None:
    value = part.data
    if isinstance(value, int | float) and _number(kind, value):
        return value
    part.wrong(f"should be {_ONE[kind]}")
    return None


def _dates(kind: str, part: Part, today: date, random: Random) -> Iterator[Json]:
    """SENSEI's dates: any of `random`, `set`, `range` and `fake`, and then the `custom` ones."""
    written = _iso if kind == "date" else _day_first
    fields = part.fields(("custom", "random", "set", "range", "fake"))
    if "random" in fields:
        number = fields["random"].whole()
        yield from map(written, _tried(fields["random"], lambda: dates.any_days(number, random)) or ())
    if "set" in fields:
        rule = fields["set"].text()
        yield from map(written, _tried(fields["set"], lambda: dates.around(rule, today, random)) or ())
    if "range" in fields:
        yield from map(written, _date_range(fields["range"], random))
    if "fake" in fields:
        wanted = fields["fake"].whole()
        yield from _tried(fields["fake"], lambda: dates.impossible(wanted, random)) or ()
    if "custom" in fields:
        custom = fields["custom"]
        yield from (_item(kind, item) for item in (custom.items() if isinstance(custom.data, list) else [custom]))


def _date_range(part: Part, random: Random) -> list[date]:
    fields = part.fields(("min", "max", "step", "random"), required=("min", "max"))
    first, last = (_day(fields[name]) if name in fields else None for name in ("min", "max"))
    number = fields["random"].whole() if "random" in fields else 0
    step = fields["step"].text() if "step" in fields else "day(1)"
    if first is None or last is None:
        return []
    if number:
        return _tried(part, lambda: dates.between(first, last, number, random)) or []
    return _tried(fields.get("step", part), lambda: dates.stepped(first, last, step)) or []


def _day(part: Part) -> date | None:
    written = part.data
    if isinstance(written, str | date):
        return _tried(part, lambda: dates.day(written))
    part.wrong(f"should be {_ONE['date']}")
    return None


def _tried(part: Part, read: Callable[[], Found]) -> Found | None:
    """What `read` finds; None, with its complaint, where it finds nothing."""
    try:
        return read()
    except ValueError as error:
        part.wrong(str(error))
        return None


def _iso(day: date) -> str:
    return day.isoformat()


def _day_first(day: date) -> str:
    return day.strftime(dates.FORMAT)
