"""Figures for charts: success by scenario and persona, reply times by turn, cost over time.

How measured values are spread, counted as they come.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from math import ceil

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.conversation import Conversation, Timing
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.reports.usage import measured

_POINTS = 60
_TURNS = 30


class Latency(Value):
    """Times to the reply of one turn, counted from 1: of how many, and three percentiles in seconds."""

    turn: PositiveInt
    n: PositiveInt
    p50: NonNegativeFloat
    p90: NonNegativeFloat
    p99: NonNegativeFloat


class CostPoint(Value):
    """What had been spent, in US dollars, so many seconds after the first conversation had begun."""

    seconds: NonNegativeFloat
    cost: NonNegativeFloat


class Measures(Value):
    """Figures of conversations for charts. Latencies are of the first turns; `spent` has a few dozen points."""

    conversations: NonNegativeInt = 0
    by_scenario: Mapping[str, Mapping[Outcome, int]] = {}
    by_persona: Mapping[str, Mapping[Outcome, int]] = {}
    latencies: tuple[Latency, ...] = ()
    spent: tuple[CostPoint, ...] = ()


class Measuring:
    """Collects measures. Takes one conversation at a time and keeps a few numbers of it."""

    def __init__(self) -> None:
        self._count = 0
        self._scenarios: defaultdict[str, Counter[Outcome]] = defaultdict(Counter)
        self._personas: defaultdict[str, Counter[Outcome]] = defaultdict(Counter)
        self._replies: defaultdict[int, Counter[float]] = defaultdict(Counter)
        self._began: datetime | None = None
        self._spent: list[tuple[datetime, float]] = []

    def add(self, conversation: Conversation, outcome: Outcome) -> None:
        """Add a conversation with its outcome."""
        self._count += 1
        self._scenarios[scenario(conversation.case.id)][outcome] += 1
        self._personas[conversation.case.persona.name][outcome] += 1
        if conversation.timing is None:
            return
        for turn, seconds in enumerate(conversation.timing.replies[:_TURNS], 1):
            self._replies[turn][float(f"{seconds:.3g}")] += 1
        self._began = min(self._began or conversation.timing.started, conversation.timing.started)
        self._spent += _spending(conversation, conversation.timing)

    def measures(self) -> Measures:
        """Return the measures so far."""
        return Measures(
            conversations=self._count,
            by_scenario=_sorted(self._scenarios),
            by_persona=_sorted(self._personas),
            latencies=tuple(_latency(turn, self._replies[turn]) for turn in sorted(self._replies)),
            spent=tuple(self._spending()),
        )

    def _spending(self) -> Iterable[CostPoint]:
        if self._began is None or not self._spent:
            return
        yield CostPoint(seconds=0, cost=0)
        every, total = ceil(len(self._spent) / _POINTS), 0.0
        for number, (when, cost) in enumerate(sorted(self._spent), 1):
            total += cost
            if number % every == 0 or number == len(self._spent):
                yield CostPoint(seconds=(when - self._began).total_seconds(), cost=total)


def _spending(conversation: Conversation, timing: Timing) -> Iterator[tuple[datetime, float]]:
    """Yield the cost of a conversation over time: at each message with calls, and the rest at the end."""
    spent, history = 0.0, len(conversation.case.history)
    for each in measured(conversation):
        if cost := each.call.cost:
            at = -1 if each.message is None else each.message - history
            seconds = timing.said[at] if 0 <= at < len(timing.said) else timing.seconds
            spent += cost
            yield timing.started + timedelta(seconds=seconds), cost
    rest = (sum(conversation.usage.values(), Usage()).known_cost or 0.0) - spent
    if rest > 1e-12:  # of recordings that do not say what each call cost
        yield timing.started + timedelta(seconds=timing.seconds), rest


def scenario(case: str) -> str:
    """Return the scenario of a case: its id without the number of the combination."""
    head, slash, last = case.rpartition("/")
    return head if slash and last.partition("~")[0].isdecimal() else case


def _latency(turn: int, counts: Mapping[float, int]) -> Latency:
    n, values = sum(counts.values()), sorted(counts)

    def percentile(share: float) -> float:
        seen = 0
        for value in values:
            seen += counts[value]
            if seen >= share * n:
                return value
        return values[-1]

    return Latency(turn=turn, n=n, p50=percentile(0.5), p90=percentile(0.9), p99=percentile(0.99))


def _sorted(found: Mapping[str, Mapping[Outcome, int]]) -> dict[str, dict[Outcome, int]]:
    """Return the items with the worst first."""

    def rate(name: str) -> tuple[float, str]:
        counts = found[name]
        decided = counts.get(Outcome.PASSED, 0) + counts.get(Outcome.FAILED, 0)
        return (counts.get(Outcome.PASSED, 0) / decided if decided else 2.0, name)

    return {
        name: {outcome: found[name][outcome] for outcome in Outcome if found[name].get(outcome)}
        for name in sorted(found, key=rate)
    }


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
