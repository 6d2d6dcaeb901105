"""The documented summary of a batch: counts, scores, turns and times, counted as the conversations come by."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from pydantic import NonNegativeFloat, NonNegativeInt

from sparring.core.value import Value
from sparring.reporting.spread import spread


class Statistics(Value):
    """How values are spread. `std` is that of a sample; null where there are too few values for it."""

    mean: float | None = None
    median: float | None = None
    std: float | None = None
    min: float | None = None
    max: float | None = None


class Durations(Statistics):
    """Seconds, and all of them together."""

    total: NonNegativeFloat = 0.0


class BatchSummary(Value):
    """A batch in numbers. `success_rate` is the share, from 0 to 1, of those that ended and did not fail.

    Timeouts are counted among the failed, and apart. A conversation without a score is in no statistic of scores.
    """

    batch_id: str
    total_scenarios: NonNegativeInt
    successful_scenarios: NonNegativeInt
    failed_scenarios: NonNegativeInt
    success_rate: NonNegativeFloat
    score_statistics: Statistics
    score_distribution: dict[str, NonNegativeInt]
    turn_statistics: Statistics
    duration_statistics: Durations
    scenario_performance: dict[str, dict[str, float]]
    generated_at: datetime
    timeout_scenarios: NonNegativeInt = 0
    not_run_scenarios: NonNegativeInt = 0
    unscored_scenarios: NonNegativeInt = 0
    outcomes: dict[str, NonNegativeInt] = {}


class Countable(Protocol):
    """What became of one scenario, as far as it is counted."""

    @property
    def scenario(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def outcome(self) -> str | None: ...
    @property
    def score(self) -> float | None: ...
    @property
    def total_turns(self) -> int | None: ...
    @property
    def duration_seconds(self) -> float | None: ...


_PER_SCENARIO: Mapping[str, Callable[[Countable], float | None]] = {
    "score_mean": lambda result: result.score,
    "total_turns_mean": lambda result: result.total_turns,
    "duration_seconds_mean": lambda result: result.duration_seconds,
}


class Counting:
    """A summary in the making; takes one result at a time and keeps none of them."""

    def __init__(self) -> None:
        self._statuses: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._scores: Counter[float] = Counter()
        self._turns: Counter[float] = Counter()
        self._seconds: Counter[float] = Counter()
        self._sums: dict[str, defaultdict[str, list[float]]] = {
            name: defaultdict(lambda: [0, 0]) for name in _PER_SCENARIO
        }

    def add(self, result: Countable) -> None:
        """Count a result."""
        self._statuses[result.status] += 1
        if result.outcome is not None:
            self._outcomes[result.outcome] += 1
        for counts, value in (
            (self._scores, result.score),
            (self._turns, result.total_turns if result.status == "completed" else None),
            (self._seconds, result.duration_seconds),
        ):
            if value is not None:
                counts[value] += 1
        for name, value_of in _PER_SCENARIO.items():
            value = value_of(result)
            if value is not None:
                added = self._sums[name][result.scenario]
                added[0] += value
                added[1] += 1

    @property
    def ended(self) -> int:
        """How many were counted."""
        return self._statuses.total()

    @property
    def scores(self) -> Mapping[float, int]:
        """How often each score was given."""
        return self._scores

    def summary(self, batch: str, planned: int, now: datetime) -> BatchSummary:
        """What was counted so far."""
        ended, successful = self.ended, self._statuses["completed"]
        seconds = spread(self._seconds).model_dump(exclude={"n"})
        return BatchSummary(
            batch_id=batch,
            total_scenarios=planned,
            successful_scenarios=successful,
            failed_scenarios=ended - successful,
            success_rate=round(successful / ended, 4) if ended else 0.0,
            score_statistics=_statistics(self._scores),
            score_distribution={f"score_{n}": self._scores[n] for n in (1, 2, 3)},
            turn_statistics=_statistics(self._turns),
            duration_statistics=Durations(
                **seconds, total=round(sum(value * count for value, count in self._seconds.items()), 3)
            ),
            scenario_performance={"score_count": self._counts(), **{name: self._means(name) for name in _PER_SCENARIO}},
            generated_at=now,
            timeout_scenarios=self._statuses["timeout"],
            not_run_scenarios=max(0, planned - ended),
            unscored_scenarios=ended - self._scores.total(),
            outcomes=dict(self._outcomes),
        )

    def _means(self, name: str) -> dict[str, float]:
        return {scenario: total / count for scenario, (total, count) in self._sums[name].items()}

    def _counts(self) -> dict[str, float]:
        return {scenario: count for scenario, (_, count) in self._sums["score_mean"].items()}


def _statistics(counts: Mapping[float, int]) -> Statistics:
    return Statistics(**spread(counts).model_dump(exclude={"n"}))
