"""Reply times by turn, for charts, and how measured values are spread, counted as they come."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.conversation import Conversation
from sparring.core.value import Value

_TURNS = 30


class Latency(Value):
    """Times to the reply of one turn, counted from 1: of how many, and three percentiles in seconds."""

    turn: PositiveInt
    n: PositiveInt
    p50: NonNegativeFloat
    p95: NonNegativeFloat
    p99: NonNegativeFloat


class Measures(Value):
    """Reply times of the first turns of conversations, for charts."""

    conversations: NonNegativeInt = 0
    latencies: tuple[Latency, ...] = ()


class Measuring:
    """Collects measures. Takes one conversation at a time and keeps a few numbers of it."""

    def __init__(self) -> None:
        self._count = 0
        self._replies: defaultdict[int, Counter[float]] = defaultdict(Counter)

    def add(self, conversation: Conversation) -> None:
        """Add a conversation."""
        self._count += 1
        if conversation.timing is not None:
            for turn, seconds in enumerate(conversation.timing.replies[:_TURNS], 1):
                self._replies[turn][float(f"{seconds:.3g}")] += 1

    def measures(self) -> Measures:
        """Return the measures so far."""
        latencies = tuple(_latency(turn, self._replies[turn]) for turn in sorted(self._replies))
        return Measures(conversations=self._count, latencies=latencies)


def scenario(case: str) -> str:
    """Return the scenario of a case: its id without the number of the combination."""
    head, slash, last = case.rpartition("/")
    return head if slash and last.partition("~")[0].isdecimal() else case


_REQUEST = "scenarios"
"""First part of the ids of all scenarios of a request, which belong together no more than files do."""


def family(case: str) -> str:
    """Return the family of a case, as pages and lists show it: its id up to the last slash."""
    head = case.rpartition("/")[0]
    return scenario(case) if head in ("", _REQUEST) else head


def _latency(turn: int, counts: Mapping[float, int]) -> Latency:
    n = sum(counts.values())
    p50, p95, p99 = (_nth(counts, math.ceil(share * n) - 1) for share in (0.5, 0.95, 0.99))
    return Latency(turn=turn, n=n, p50=p50, p95=p95, p99=p99)


class Spread(Value):
    """Count and spread of values; `std` is the sample standard deviation and needs two values."""

    n: NonNegativeInt = 0
    mean: float | None = None
    std: float | None = None
    median: float | None = None
    min: float | None = None
    max: float | None = None


class Values:
    """Values to three significant digits, so that a million of them need a few thousand counts."""

    def __init__(self) -> None:
        self._counts: Counter[float] = Counter()

    def add(self, values: Iterable[float]) -> None:
        self._counts.update(float(f"{value:.3g}") for value in values)

    def state(self) -> list[tuple[float, int]]:
        """Return the values with their counts, as `join` adds them."""
        return list(self._counts.items())

    def join(self, state: Iterable[tuple[float, int]]) -> None:
        for value, count in state:
            self._counts[value] += count

    def spread(self) -> Spread:
        return spread(self._counts)


def spread(counts: Mapping[float, int]) -> Spread:
    """Return the spread of values with these counts."""
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
