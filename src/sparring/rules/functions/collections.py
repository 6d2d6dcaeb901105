"""Rule functions over collections: as in Python, but bounded.

Sets have no reproducible order, so they are iterated and printed sorted.
"""

from collections.abc import Iterable
from typing import Any

from sparring.rules.functions.function import function
from sparring.rules.undecided import LimitReached


def ordered(items: Iterable[Any]) -> Iterable[Any]:
    """Return the items; those of a set are sorted by type and text."""
    if isinstance(items, set | frozenset):
        return sorted(items, key=lambda item: (type(item).__name__, repr(item)))
    return items


def str_of(value: Any) -> str:
    """Return `str(value)` with inner sets sorted."""
    return value if isinstance(value, str) else str(value) if not _has_set(value) else repr_of(value)


def repr_of(value: Any) -> str:
    """Return `repr(value)` with inner sets sorted."""
    if not _has_set(value):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{repr_of(key)}: {repr_of(item)}" for key, item in value.items()) + "}"
    inside = ", ".join(map(repr_of, ordered(value)))
    if isinstance(value, list):
        return f"[{inside}]"
    if isinstance(value, tuple):
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"{{{inside}}}" if inside else "set()"


def _has_set(value: Any) -> bool:
    if isinstance(value, set | frozenset):
        return True
    if isinstance(value, dict):
        return any(map(_has_set, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_set, value))


@function()
def len_(x: Any) -> int:
    """The number of items of a list, or of characters of a text."""
    return len(x)


@function(lazy=True)
def all_(items: Iterable[Any]) -> bool:
    """True if every item is true: `all(t in menu for t in toppings)`."""
    return all(items)


@function(lazy=True)
def any_(items: Iterable[Any]) -> bool:
    """True if at least one item is true."""
    return any(items)


@function(lazy=True)
def min_(*items: Any) -> Any:
    """The smallest argument, or the smallest item of a single list."""
    return min(*items)


@function(lazy=True)
def max_(*items: Any) -> Any:
    """The largest argument, or the largest item of a single list."""
    return max(*items)


@function(lazy=True)
def sum_(items: Iterable[Any], start: Any = 0) -> Any:
    """The sum of numbers."""
    total = start
    for item in ordered(items):
        if type(item) not in (int, float, bool):
            raise TypeError(f"sum() expects numbers, got {type(item).__name__}")
        total = total + item
    return total


@function(lazy=True)
def sorted_(items: Iterable[Any], reverse: bool = False) -> list[Any]:
    """The items as a sorted list."""
    return sorted(items, reverse=bool(reverse))


@function(lazy=True)
def set_(items: Iterable[Any] = ()) -> set[Any]:
    """The distinct items: `set(toppings) == {'cheese', 'ham'}`."""
    return set(items)


@function(lazy=True)
def list_(items: Iterable[Any] = ()) -> list[Any]:
    """The items as a list."""
    return list(ordered(items))


@function(lazy=True)
def tuple_(items: Iterable[Any] = ()) -> tuple[Any, ...]:
    """The items as a tuple."""
    return tuple(ordered(items))


@function()
def str_(x: Any = "") -> str:
    """A value as text: `str(confirmed_date) == '2024-11-06'`."""
    return str_of(x)


@function()
def bool_(x: Any = False) -> bool:
    """True unless a value is empty, 0 or None."""
    return bool(x)


@function()
def int_(x: Any = 0) -> int:
    """A text or number as an integer; decimals are cut off."""
    return int(x)


@function()
def float_(x: Any = 0.0) -> float:
    """A text or number as a decimal number. For a number inside a text, use `extract_float`."""
    return float(x)


@function()
def abs_(x: Any) -> Any:
    """The absolute value of a number."""
    return abs(x)


@function()
def round_(x: Any, digits: int | None = None) -> Any:
    """A rounded number, as in Python: halves go to the even neighbor."""
    if digits is not None and not -15 <= digits <= 15:
        raise LimitReached("round() to more than 15 digits")
    return round(x) if digits is None else round(x, digits)
