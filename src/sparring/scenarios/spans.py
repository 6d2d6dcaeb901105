"""Data that is not written out: ranges of numbers, and dates in all the ways SENSEI writes them."""

from collections.abc import Iterator
from datetime import date
from random import Random

from sparring.core.value import Json
from sparring.scenarios import dates, ranges
from sparring.scenarios.items import ONE, is_number, iso, single, tried
from sparring.scenarios.part import Part


def numbers(kind: str, part: Part) -> list[Json]:
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
        return list(tried(part, lambda: ranges.spread(first, last, number, whole=kind == "int")) or ())
    return list(tried(part, lambda: ranges.number_range(first, last, step)) or ())


def _bound(kind: str, part: Part) -> float | None:
    value = part.data
    if isinstance(value, int | float) and is_number(kind, value):
        return value
    part.wrong(f"should be {ONE[kind]}")
    return None


def days(kind: str, part: Part, today: date, random: Random) -> Iterator[Json]:
    """SENSEI's dates: any of `random`, `set`, `range` and `fake`, and then the `custom` ones."""
    written = iso if kind == "date" else _day_first
    fields = part.fields(("custom", "random", "set", "range", "fake"))
    if "random" in fields:
        number = fields["random"].whole()
        yield from map(written, tried(fields["random"], lambda: dates.any_days(number, random)) or ())
    if "set" in fields:
        rule = fields["set"].text()
        yield from map(written, tried(fields["set"], lambda: dates.around(rule, today, random)) or ())
    if "range" in fields:
        yield from map(written, day_range(fields["range"], random))
    if "fake" in fields:
        wanted = fields["fake"].whole()
        yield from tried(fields["fake"], lambda: dates.impossible(wanted, random)) or ()
    if "custom" in fields:
        custom = fields["custom"]
        yield from (single(kind, item) for item in (custom.items() if isinstance(custom.data, list) else [custom]))


def day_range(part: Part, random: Random) -> list[date]:
    fields = part.fields(("min", "max", "step", "random"), required=("min", "max"))
    first, last = (_day(fields[name]) if name in fields else None for name in ("min", "max"))
    number = fields["random"].whole() if "random" in fields else 0
    step = fields["step"].text() if "step" in fields else "day(1)"
    if first is None or last is None:
        return []
    if number:
        return tried(part, lambda: dates.between(first, last, number, random)) or []
    return tried(fields.get("step", part), lambda: dates.date_range(first, last, step)) or []


def _day(part: Part) -> date | None:
    written = part.data
    if isinstance(written, str | date):
        return tried(part, lambda: dates.day(written))
    part.wrong(f"should be {ONE['date']}")
    return None


def _day_first(day: date) -> str:
    return day.strftime(dates.FORMAT)
