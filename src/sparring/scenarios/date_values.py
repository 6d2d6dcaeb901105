"""Dates and ranges as the data of a variable.

Dates are written day/month/year, as in SENSEI's profiles. SENSEI's `day(n)` steps past the last date, and its months
have 30 days. Here no step leaves the range, and months and years follow the calendar.

The largest value belongs to every range, even if the steps miss it: 1 to 6 by 2 is 1, 3, 5, 6. Without a step, whole
numbers go by 1. SENSEI excludes the largest value of ranges without a step. Its README calls the step of decimal
numbers `steps`, which is accepted.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice
from random import Random

MAX_VALUES = 10_000


def number_range(first: float, last: float, step: float) -> list[int | float]:
    """Return the numbers from `first` to `last` by `step`, including `last`.

    They are whole if all three are.
    """
    whole = all(isinstance(number, int) for number in (first, last, step))
    start, stop, by = (Decimal(str(number)) for number in (first, last, step))
    _check_range(start, stop)
    if by <= 0:
        raise ValueError("step should be greater than 0")
    if (stop - start) / by > MAX_VALUES:
        raise ValueError(f"a range may hold {MAX_VALUES:,} values, not more")
    numbers = [start + by * i for i in range(int((stop - start) / by) + 1)]
    numbers += [stop] if numbers[-1] != stop else []
    return [int(number) if whole else float(number) for number in numbers]


def equidistant_numbers(first: float, last: float, number: int, *, whole: bool) -> list[int | float]:
    """Return `number` equidistant values from `first` to `last`; whole ones are rounded, each once."""
    start, stop = Decimal(str(first)), Decimal(str(last))
    _check_range(start, stop)
    if not 1 <= number <= MAX_VALUES:
        raise ValueError(f"linspace should be from 1 to {MAX_VALUES:,}")
    distance = (stop - start) / (number - 1) if number > 1 else Decimal(0)
    numbers = [start + distance * i for i in range(number)]
    return list(dict.fromkeys(round(n) for n in numbers)) if whole else [round(float(n), 12) for n in numbers]


def _check_range(first: Decimal, last: Decimal) -> None:
    if first > last:
        raise ValueError(f"min is greater than max: {first} and {last}")


FORMAT = "%d/%m/%Y"

_STEP = re.compile(r"(day|month|year|linspace)\((\d{1,4})\)")
_SET = re.compile(r"([<>])\s*today\((\d{1,4})\)")
_WRITTEN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")


def parse_date(written: str | date) -> date:
    """Parse a date as profiles write it, day first."""
    if isinstance(written, date):
        return written
    match = _WRITTEN.fullmatch(written.strip())
    if match is None:
        raise ValueError("should be a date written day/month/year")
    try:
        return date(int(match[3]), int(match[2]), int(match[1]))
    except ValueError as error:
        raise ValueError(f"there is no such day: {error}") from error


def date_range(first: date, last: date, step: str) -> list[date]:
    """Return the dates from `first` to `last` by a step.

    A step is `day(7)`, `month(1)` or `year(2)`, or `linspace(5)` for five equidistant dates.
    """
    _check(first, last)
    match = _STEP.fullmatch(step.replace(" ", ""))
    if match is None or int(match[2]) == 0:
        raise ValueError("should be day(n), month(n), year(n) or linspace(n)")
    unit, size = match[1], int(match[2])
    days = list(
        islice(_spread(first, last, size) if unit == "linspace" else _walk(first, last, unit, size), MAX_VALUES + 1)
    )
    if len(days) > MAX_VALUES:
        raise ValueError(f"a range may hold {MAX_VALUES:,} dates, not more")
    return days


def random_dates(first: date, last: date, number: int, random: Random) -> list[date]:
    """Draw `number` dates from a range."""
    _check(first, last)
    return [first + timedelta(days=random.randint(0, (last - first).days)) for _ in range(_counted(number))]


def dates_near_today(rule: str, today: date, random: Random) -> list[date]:
    """Draw dates by a rule: `>today(3)` is three dates within the next year, `<today(3)` within the last."""
    match = _SET.fullmatch(rule.strip())
    if match is None:
        raise ValueError('should be ">today(n)" or "<today(n)"')
    direction = 1 if match[1] == ">" else -1
    return [today + direction * timedelta(days=random.randint(1, 365)) for _ in range(_counted(int(match[2])))]


def any_dates(number: int, random: Random) -> list[date]:
    """Draw `number` dates from the years 2000 to 2999."""
    return [date(2000, 1, 1) + timedelta(days=random.randrange(365_242)) for _ in range(_counted(number))]


def impossible_dates(number: int, random: Random) -> list[str]:
    """Return `number` different dates that exist in no calendar."""
    found: dict[str, None] = {}
    while len(found) < _counted(number):
        found[f"{random.randint(32, 99)}/{random.randint(13, 99)}/{random.randint(2000, 2099)}"] = None
    return list(found)


def _walk(first: date, last: date, unit: str, size: int) -> Iterator[date]:
    yield first
    steps = 1
    while (following := _later(first, unit, size * steps)) < last:
        yield following
        steps += 1
    if last > first:
        yield last


def _later(start: date, unit: str, number: int) -> date:
    if unit == "day":
        return date.fromordinal(min(start.toordinal() + number, date.max.toordinal()))
    months = start.month - 1 + number * (12 if unit == "year" else 1)
    year, month = start.year + months // 12, months % 12 + 1
    return date(year, month, min(start.day, monthrange(year, month)[1])) if year <= date.max.year else date.max


def _spread(first: date, last: date, number: int) -> Iterator[date]:
    days = (last - first).days
    return (first + timedelta(days=days * i // max(number - 1, 1)) for i in range(number))


def _counted(number: int) -> int:
    if not 1 <= number <= MAX_VALUES:
        raise ValueError(f"should be a number from 1 to {MAX_VALUES:,}")
    return number


def _check(first: date, last: date) -> None:
    if first > last:
        raise ValueError(f"min is later than max: {first:{FORMAT}} and {last:{FORMAT}}")
