"""Aggregates of rules over all conversations. None is ignored unless stated."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from statistics import median as middle
from typing import Any, TypeVar

from sparring.rules.equality import key_of
from sparring.rules.undecided import Failure

Values = Sequence[Any]
V = TypeVar("V")
W = TypeVar("W")
Witnesses = list[tuple[int, ...]]


@dataclass(frozen=True)
class Aggregate:
    """`combine` aggregates the values; `witnesses` returns the indexes of conversations that explain it."""

    name: str
    combine: Callable[..., Any]
    witnesses: Callable[[Values], Witnesses]
    arguments: int = 1

    @property
    def doc(self) -> str:
        return (self.combine.__doc__ or "").strip()


def exists(values: Values) -> bool:
    """True if an expression is true for at least one conversation: `exists(extract_float(cost) > 50)`."""
    return any(values) or any(_decided(values))


def count(values: Values) -> int:
    """The number of conversations for which an expression is true."""
    return sum(map(bool, _decided(values)))


def share(values: Values) -> float:
    """The share of conversations for which an expression is true, from 0 to 1."""
    return _combine([float(bool(value)) for value in _decided(values)], fmean)


def percent(values: Values) -> float:
    """The percentage of conversations for which an expression is true: `percent(turns() < 10) >= 95`."""
    return 100 * share(values)


def is_unique(values: Values) -> bool:
    """True if no two conversations have the same value. None is ignored."""
    return not shared(values)


def distinct(values: Values) -> int:
    """The number of distinct values. None is ignored."""
    return len({key_of(value) for _, value in _present(values)})


def mean(values: Values) -> float:
    """The mean. None is ignored."""
    return _combine(_numbers(values), fmean)


def median(values: Values) -> float:
    """The median. None is ignored."""
    return _combine(_numbers(values), middle)


def smallest(values: Values) -> Any:
    """The smallest value. None is ignored."""
    return _combine([value for _, value in _present(values)], min)


def largest(values: Values) -> Any:
    """The largest value. None is ignored."""
    return _combine([value for _, value in _present(values)], max)


def total(values: Values) -> float:
    """The sum. None is ignored."""
    return sum(_numbers(values))


def quantile(values: Values, q: float) -> float:
    """The quantile `q`, from 0 to 1: `quantile(latency(0.5), 0.95) < 3`."""
    if not 0 <= q <= 1:
        raise ValueError("quantile() expects a share from 0 to 1")
    numbers = sorted(_numbers(values))
    return _combine(numbers, lambda some: some[max(math.ceil(q * len(some)) - 1, 0)])


def shared(values: Values) -> Witnesses:
    """Return groups of conversations with the same value, in order of their first conversation."""
    first: dict[Any, int] = {}
    more: dict[int, list[int]] = {}
    for index, value in _present(values):
        at = first.setdefault(value if type(value) is str else key_of(value), index)
        if at != index:
            more.setdefault(at, [at]).append(index)
    return [tuple(more[at]) for at in sorted(more)]


def _where(truth: bool) -> Callable[[Values], Witnesses]:
    return lambda values: [(index,) for index, value in enumerate(values) if bool(value) is truth]


def _no_witnesses(values: Values) -> Witnesses:
    return []


def _decided(values: Values) -> Values:
    for value in values:
        if isinstance(value, Failure):
            raise value.error
    return values


def _present(values: Values) -> Iterable[tuple[int, Any]]:
    for index, value in enumerate(values):
        if isinstance(value, Failure):
            raise value.error
        if value is not None:
            yield index, value


def _numbers(values: Values) -> list[float]:
    numbers = [value for _, value in _present(values)]
    for number in numbers:
        if type(number) not in (int, float, bool):
            raise TypeError(f"expected a number, got {type(number).__name__}")
    return numbers


def _combine(values: list[V], combine: Callable[[list[V]], W]) -> W:
    if not values:
        raise ValueError("no conversation has a value")
    return combine(values)


AGGREGATES = {
    aggregate.name: aggregate
    for aggregate in (
        Aggregate("exists", exists, _where(True)),
        Aggregate("num_exist", count, _where(True)),
        Aggregate("count", count, _where(True)),
        Aggregate("share", share, _where(False)),
        Aggregate("percent", percent, _where(False)),
        Aggregate("is_unique", is_unique, shared),
        Aggregate("distinct", distinct, shared),
        Aggregate("mean", mean, _no_witnesses),
        Aggregate("median", median, _no_witnesses),
        Aggregate("min", smallest, _no_witnesses),
        Aggregate("max", largest, _no_witnesses),
        Aggregate("sum", total, _no_witnesses),
        Aggregate("quantile", quantile, _no_witnesses, arguments=2),
    )
}
