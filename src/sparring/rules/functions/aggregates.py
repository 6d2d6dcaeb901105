"""What a rule over all conversations may say about the values an expression has in each of them."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from statistics import median as middle
from typing import Any, TypeVar

from sparring.rules.equality import key_of
from sparring.rules.undecided import Failure, Missing

Values = Sequence[Any]
V = TypeVar("V")
W = TypeVar("W")
Witnesses = list[tuple[int, ...]]


@dataclass(frozen=True)
class Aggregate:
    """`combine` makes one value of all; `witnesses` picks the conversations that show why, by their index."""

    name: str
    combine: Callable[..., Any]
    witnesses: Callable[[Values], Witnesses]
    arguments: int = 1

    @property
    def doc(self) -> str:
        return (self.combine.__doc__ or "").strip()


def exists(values: Values) -> bool:
    """Whether an expression is true of at least one conversation: `exists(extract_float(cost) > 50)`."""
    return any(values) or any(_decided(values))


def count(values: Values) -> int:
    """Of how many conversations an expression is true."""
    return sum(map(bool, _decided(values)))


def share(values: Values) -> float:
    """Of which share of the conversations an expression is true, from 0 to 1."""
    return _combine([float(bool(value)) for value in _decided(values)], fmean)


def percent(values: Values) -> float:
    """Of how many in a hundred conversations an expression is true: `percent(extract_float(price) >= 10) >= 95`."""
    return 100 * share(values)


def is_unique(values: Values) -> bool:
    """Whether no two conversations have the same value. None, and conversations without one, are passed over."""
    return not shared(values)


def distinct(values: Values) -> int:
    """How many different values there are. None, and conversations without one, are passed over."""
    return len({key_of(value) for _, value in _present(values)})


def mean(values: Values) -> float:
    """The average. None, and conversations without a value, are passed over."""
    return _combine(_numbers(values), fmean)


def median(values: Values) -> float:
    """The value in the middle. None, and conversations without a value, are passed over."""
    return _combine(_numbers(values), middle)


def smallest(values: Values) -> Any:
    """The smallest value. None, and conversations without one, are passed over."""
    return _combine([value for _, value in _present(values)], min)


def largest(values: Values) -> Any:
    """The largest value. None, and conversations without one, are passed over."""
    return _combine([value for _, value in _present(values)], max)


def total(values: Values) -> float:
    """The sum. None, and conversations without a value, are passed over."""
    return sum(_numbers(values))


def quantile(values: Values, q: float) -> float:
    """The value that a share `q` of the conversations does not exceed: `quantile(latency(0.5), 0.95) < 3`."""
    if not 0 <= q <= 1:
        raise ValueError("quantile() needs a share between 0 and 1")
    numbers = sorted(_numbers(values))
    return _combine(numbers, lambda some: some[max(math.ceil(q * len(some)) - 1, 0)])


def shared(values: Values) -> Witnesses:
    """The conversations that have a value in common, one group for each such value, by the first of each."""
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
            if not isinstance(value.error, Missing):
                raise value.error
        elif value is not None:
            yield index, value


def _numbers(values: Values) -> list[float]:
    numbers = [value for _, value in _present(values)]
    for number in numbers:
        if type(number) not in (int, float, bool):
            raise TypeError(f"numbers are needed, not {type(number).__name__}")
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
