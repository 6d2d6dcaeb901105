"""The documented summary of a batch as lines for people."""

from collections.abc import Iterator

from sparring.core.text import visible
from sparring.reporting.counted import counted
from sparring.web.statistics import BatchSummary, Statistics

_MOST_SCENARIOS = 20
_WIDEST = 50


def summary_table(summary: BatchSummary) -> Iterator[str]:
    """Counts with their shares, scores, turns and times, and the scenarios that scored worst."""
    total = summary.total_scenarios
    yield visible(f"{summary.batch_id}: {counted(total, 'scenario')}")
    yield f"  successful  {_share(summary.successful_scenarios, total)}"
    apart = f", {summary.timeout_scenarios:,} of them timed out" if summary.timeout_scenarios else ""
    yield f"  failed      {_share(summary.failed_scenarios, total)}{apart}"
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


def _spread(told: Statistics, without: int = 0) -> str:
    lacking = f"; {without:,} without" if without else ""
    if told.mean is None:
        return f"none{lacking}"
    std = "" if told.std is None else f", std {told.std:.3f}"
    return f"mean {told.mean:.3f}, median {told.median:g}{std}, {told.min:g} to {told.max:g}{lacking}"


def _scenarios(summary: BatchSummary) -> Iterator[str]:
    told = summary.scenario_performance
    scores, turns, counts = told["score_mean"], told["total_turns_mean"], told["score_count"]
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
