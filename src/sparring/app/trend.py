"""The batches of a name over time: figures of each, and where the pass rate changed."""

from collections.abc import Iterator, Mapping, Sequence

from sparring.app.listing import stored_rows
from sparring.app.results import summarize
from sparring.core.errors import InputError
from sparring.core.value import Value
from sparring.reports.batch_statistics import Intervals
from sparring.reports.rate_text import bounds_text, percent
from sparring.reports.scores import Scores
from sparring.reports.summary import Summary
from sparring.reports.tested_changes import Question, tested
from sparring.store.store import Store

_SIGNIFICANT = 0.05


class TrendPoint(Value):
    """One batch of a trend. `change` says how its pass rate differs from those before it."""

    batch: str
    created: str
    conversations: int
    pass_rate: Intervals | None = None
    score: float | None = None
    reply_seconds: float | None = None
    cost: float | None = None
    change: str = ""


async def trend(name: str, store: Store) -> list[TrendPoint]:
    """Return the batches of a name, oldest first. Raise InputError if there are none.

    A change is told by an exact test of the cases in both, at 5 % for all batches of the series together.
    """
    ids = sorted(await store.namesakes(name))
    if not ids:
        raise InputError(f"no batch is called {name!r}", hint="sparring run --name NAME")
    points, since = list[TrendPoint](), dict[str, list[float | None]]()
    for id in ids:
        batch = await store.batch(id)
        rows = (await stored_rows(batch, store)).passed()
        change = _change(since, rows, len(ids))
        since = {} if change else since
        for case, values in rows.items():
            since.setdefault(case, []).extend(values)
        points.append(_point(await summarize(batch, store), batch.created.isoformat(), change))
    return points


def _change(since: Mapping[str, Sequence[float | None]], now: Mapping[str, Sequence[float | None]], looks: int) -> str:
    change = tested({"passed": Question(since, now)})["passed"]
    told = change.p < _SIGNIFICANT / looks and change.direction != "not told"
    return change.direction if told else ""


def _point(summary: Summary, created: str, change: str) -> TrendPoint:
    return TrendPoint(
        batch=summary.batch,
        created=created,
        conversations=summary.stored,
        pass_rate=summary.statistics.decided if summary.statistics else None,
        score=_score(summary.scores),
        reply_seconds=summary.reply_seconds.median if summary.reply_seconds.n else None,
        cost=summary.consumed.known_cost,
        change=change,
    )


def _score(scores: Sequence[Scores]) -> float | None:
    return next((each.spread.mean for each in scores if each.spread.n), None)


def trend_text(points: Sequence[TrendPoint]) -> Iterator[str]:
    """Yield a line for each batch, and one where the pass rate changed."""
    for point in points:
        rate = point.pass_rate
        rated = "-" if rate is None or rate.value is None else f"{percent(rate.value)} % ({bounds_text(rate.these)})"
        parts = [
            f"{point.created[:16]}  {point.batch}  {point.conversations:,} conversations, passed {rated}",
            f"score {point.score:.3g}" if point.score is not None else "",
            f"replies {point.reply_seconds:.3g} s" if point.reply_seconds is not None else "",
            f"${point.cost:,.4f}" if point.cost else "",
        ]
        yield ", ".join(filter(None, parts)) + (f"  {point.change.upper()} than before" if point.change else "")


def trend_csv(points: Sequence[TrendPoint]) -> Iterator[str]:
    """Yield the lines of a table for spreadsheets; what is unknown is empty."""
    yield "batch,created,conversations,pass_rate,low,high,score,reply_seconds,cost,change"
    for point in points:
        rate = point.pass_rate
        rated = (rate.value, rate.these.low, rate.these.high) if rate and rate.value is not None else (None,) * 3
        cells = (*rated, point.score, point.reply_seconds, point.cost)
        figures = ("" if each is None else f"{each:.6g}" for each in cells)
        yield ",".join([point.batch, point.created, str(point.conversations), *figures, point.change])
