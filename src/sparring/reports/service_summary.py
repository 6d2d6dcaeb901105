"""The documented summary of a batch: as values, as lines, and as a histogram of scores."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.plugins import install
from sparring.core.text import visible
from sparring.core.value import Value
from sparring.reports.batch_statistics import BatchStatistics, Intervals
from sparring.reports.lines import counted
from sparring.reports.measures import spread
from sparring.reports.result_files import Row
from sparring.reports.service_results import ScenarioResult

SUMMARY_OPENINGS = (
    rb'\{\n  "batch_id": "[^"]*",\n  "total_scenarios": ',
    rb'"session_id","scenario","score","total_turns",',
)
"""The openings of a summary as JSON and as CSV."""

PICTURE_OPENINGS = (rb"(\x89PNG|<\?xml|%PDF).*[Mm]atplotlib",)
"""The opening of a picture that matplotlib drew."""


class Statistics(Value):
    """Spread of values; `std` is the sample standard deviation. Null if there are too few values."""

    mean: float | None = None
    median: float | None = None
    std: float | None = None
    min: float | None = None
    max: float | None = None


class Durations(Statistics):
    """Statistics of durations in seconds, with their total."""

    total: NonNegativeFloat = 0.0


class BatchSummary(Value):
    """A batch in numbers.

    `success_rate` is the share of conversations that passed, from 0 to 1. A result without an outcome passed if it was
    completed, and else failed. Timeouts are also counted separately. Of `retried_scenarios`, the last attempt counts.
    Score statistics ignore conversations without a score. `statistics` has the pass rate by outcomes, with intervals
    for these cases and for cases like these; `score_intervals` are those of the mean score, if all scores are by one
    rubric.
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
    retried_scenarios: NonNegativeInt = 0
    statistics: BatchStatistics | None = Field(None, exclude_if=lambda found: found is None)
    score_intervals: Intervals | None = Field(None, exclude_if=lambda found: found is None)


Countable = Row | ScenarioResult
"""A result that the summary counts."""

_PER_SCENARIO: Mapping[str, Callable[[Countable], float | None]] = {
    "score_mean": lambda result: result.score,
    "total_turns_mean": lambda result: result.total_turns,
    "duration_seconds_mean": lambda result: result.duration_seconds,
}


class Counting:
    """Collects a summary. Takes one result at a time and keeps none."""

    def __init__(self) -> None:
        self._retried = 0
        self._statuses: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._results: Counter[str] = Counter()
        self._scores: Counter[float] = Counter()
        self._turns: Counter[float] = Counter()
        self._seconds: Counter[float] = Counter()
        self._sums: dict[str, defaultdict[str, list[float]]] = {
            name: defaultdict(lambda: [0, 0]) for name in _PER_SCENARIO
        }

    def add(self, result: Countable) -> None:
        """Count a result."""
        self._statuses[result.status] += 1
        self._retried += result.attempts > 1
        if result.outcome is not None:
            self._outcomes[result.outcome] += 1
        known = Outcome.PASSED if result.status == "completed" else Outcome.FAILED
        self._results[result.outcome or known] += 1
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
        """Number of counted results."""
        return self._statuses.total()

    @property
    def scores(self) -> Mapping[float, int]:
        """Count of each score."""
        return self._scores

    def summary(self, batch: str, planned: int, now: datetime) -> BatchSummary:
        """Return the summary so far."""
        ended, successful = self.ended, self._results[Outcome.PASSED]
        seconds = spread(self._seconds).model_dump(exclude={"n"})
        return BatchSummary(
            batch_id=batch,
            total_scenarios=planned,
            successful_scenarios=successful,
            failed_scenarios=self._results[Outcome.FAILED],
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
            retried_scenarios=self._retried,
        )

    def _means(self, name: str) -> dict[str, float]:
        return {scenario: total / count for scenario, (total, count) in self._sums[name].items()}

    def _counts(self) -> dict[str, float]:
        return {scenario: count for scenario, (_, count) in self._sums["score_mean"].items()}


def _statistics(counts: Mapping[float, int]) -> Statistics:
    return Statistics(**spread(counts).model_dump(exclude={"n"}))


_MOST_SCENARIOS = 20
_WIDEST = 50


def summary_table(summary: BatchSummary) -> Iterator[str]:
    """Yield counts with shares, scores, turns, durations, and the scenarios with the lowest scores."""
    total = summary.total_scenarios
    yield visible(f"{summary.batch_id}: {counted(total, 'scenario')}")
    yield f"  successful  {_share(summary.successful_scenarios, total)}"
    apart = f", {summary.timeout_scenarios:,} of them timed out" if summary.timeout_scenarios else ""
    yield f"  failed      {_share(summary.failed_scenarios, total)}{apart}"
    for outcome in (Outcome.UNDECIDED, Outcome.VOID):
        if count := summary.outcomes.get(outcome):
            yield f"  {outcome:<10}  {_share(count, total)}"
    if retried := summary.retried_scenarios:
        yield f"  {retried:,} retried: the last attempt counts here, and the first one in show, report and gate"
    yield f"Scores    {_spread(summary.score_statistics, summary.unscored_scenarios)}"
    scored = total - summary.unscored_scenarios
    for name, count in summary.score_distribution.items():
        yield f"  {name.removeprefix('score_')}  {_share(count, scored)}"
    yield f"Turns     {_spread(summary.turn_statistics)}"
    durations = summary.duration_statistics
    together = "" if durations.mean is None else f", {durations.total:,.3f} in all"
    yield f"Seconds   {_spread(durations)}{together}"
    yield from _scenarios(summary)


def _share(count: int, of: int) -> str:
    return f"{count:>6,}  {count / of:6.1%}" if of else f"{count:>6,}"


def _spread(figures: Statistics, without: int = 0) -> str:
    lacking = f"; {without:,} without" if without else ""
    if figures.mean is None:
        return f"none{lacking}"
    std = "" if figures.std is None else f", std {figures.std:.3f}"
    return f"mean {figures.mean:.3f}, median {figures.median:g}{std}, {figures.min:g} to {figures.max:g}{lacking}"


def _scenarios(summary: BatchSummary) -> Iterator[str]:
    means = summary.scenario_performance
    scores, turns, counts = means["score_mean"], means["total_turns_mean"], means["score_count"]
    names = sorted(turns | scores, key=lambda name: (scores.get(name, float("inf")), name))
    if not names:
        return
    yield f"Scenarios{', the worst scored first' if scores else ''}"
    yield f"  {'scored':>6}  {'mean score':>10}  {'mean turns':>10}  scenario"
    for name in names[:_MOST_SCENARIOS]:
        shown = visible(name)
        score, turn = _mean(scores.get(name)), _mean(turns.get(name))
        short = shown if len(shown) <= _WIDEST else shown[: _WIDEST - 1] + "…"
        yield f"  {counts.get(name, 0):>6,g}  {score:>10}  {turn:>10}  {short}"
    if len(names) > _MOST_SCENARIOS:
        yield f"  and {len(names) - _MOST_SCENARIOS:,} more: --format json has all of them"


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


_KINDS = (".png", ".svg", ".pdf")


def needed(picture: Path) -> None:
    """Raise InputError if no picture can be drawn into this file."""
    if picture.suffix.lower() not in _KINDS:
        raise InputError(f"--histogram {picture}: is not a picture", hint=f"a name that ends in {', '.join(_KINDS)}")
    if find_spec("matplotlib") is None:
        raise InputError("--histogram needs matplotlib, which is not installed", hint=install("plots"))


def histogram(summary: BatchSummary, scores: Mapping[float, int], kind: str) -> bytes:
    """Return an image (png, svg or pdf) with a bar for 1, 2 and 3, and for any other score.

    It contains no text of the results file.
    """
    from matplotlib.figure import Figure  # heavy, and an extra; without pyplot nothing needs a screen

    counts = {1.0: 0, 2.0: 0, 3.0: 0} | dict(scores)
    values = sorted(counts)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    bars = axes.bar([f"{value:g}" for value in values], [counts[value] for value in values], color="#4c72b0")
    axes.bar_label(bars)
    scored = sum(scores.values())
    axes.set(
        xlabel="score",
        ylabel="conversations",
        title=f"{scored:,} scores, {summary.total_scenarios - scored:,} conversations without",
    )
    drawn = BytesIO()
    figure.savefig(drawn, format=kind)
    return drawn.getvalue()
