"""How measured values are spread, counted as they come."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from pydantic import NonNegativeInt

from sparring.core.value import Value


class Spread(Value):
    """How many values there were, and how they are spread; `std` is that of a sample, and needs two of them."""

    n: NonNegativeInt = 0
    mean: float | None = None
    std: float | None = None
    median: float | None = None
    min: float | None = None
    max: float | None = None


class Values:
    """Values to three significant digits, so that a million of them are a few thousand counts."""

    def __init__(self) -> None:
        self._counts: Counter[float] = Counter()

    def add(self, values: Iterable[float]) -> None:
        self._counts.update(float(f"{value:.3g}") for value in values)

    def spread(self) -> Spread:
        return spread(self._counts)


def spread(counts: Mapping[float, int]) -> Spread:
    """The spread of values of which each was seen so many times."""
    n = sum(counts.values())
    if not n:
        return Spread()
    mean = math.fsum(value * count for value, count in counts.items()) / n
    squares = math.fsum((value - mean) ** 2 * count for value, count in counts.items())
    return Spread(
        n=n,
        mean=mean,
        std=math.sqrt(squares / (n - 1)) if n > 1 else None,
        median=(_nth(counts, (n - 1) // 2) + _nth(counts, n // 2)) / 2,
        min=min(counts),
        max=max(counts),
    )


def _nth(counts: Mapping[float, int], place: int) -> float:
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen > place:
            return value
    raise IndexError(place)
