"""Batches as a server shows them: progress, totals, figures for charts, and a name over time."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sparring.app.computed import complete
from sparring.app.results import summarize
from sparring.core.batch import Batch, Progress
from sparring.core.checks import Attempts, Scale
from sparring.core.errors import InputError, SparringError
from sparring.core.listing import ConversationQuery, RowTotals
from sparring.core.value import Value
from sparring.reports.batch_statistics import BatchStatistics, Intervals, batch_statistics
from sparring.reports.case_rows import CaseRows, NamedRows
from sparring.reports.measures import Measures, Measuring
from sparring.reports.rate_text import rate_text
from sparring.reports.scores import Scores
from sparring.reports.summary import Summary
from sparring.reports.tested_changes import Question, tested
from sparring.store.store import Store

MAX_WAIT = 1.0
"""Seconds that a page waits for the completion of a batch before it shows the progress."""

MEASURED = 2_000
"""Conversations that charts are drawn from: the first of a batch."""

_KEPT = 50


@dataclass(frozen=True, slots=True)
class Seen:
    """The progress of a batch, and totals of its conversation rows."""

    progress: Progress
    totals: RowTotals

    @property
    def behind(self) -> int:
        """The number of stored conversations without a row, as in batches of earlier versions."""
        return max(0, self.progress.stored - self.totals.conversations)


async def stored_statistics(batch: Batch, store: Store) -> BatchStatistics:
    """Return the statistics of a batch from its rows, without reading a conversation."""
    return batch_statistics(await stored_rows(batch, store))


async def stored_rows(batch: Batch, store: Store, attempts: Attempts = "first") -> CaseRows:
    """Return the outcomes of a batch from its rows, without reading a conversation."""
    whole = await store.batch(batch.id)
    rows = CaseRows(whole, attempts)
    _, found = await store.search(batch.id, ConversationQuery(), offset=0, limit=max(whole.planned, 1))
    for row in found:
        counted = row.counted if attempts == "first" else row.decision
        rows.count(row.conversation, counted, row.decision, row.attempt)
    return rows


@dataclass
class BatchListing:
    """Reads the data of lists and charts, and completes batches of earlier versions one at a time."""

    store: Store
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _measures: dict[str, tuple[RowTotals, Measures]] = field(default_factory=dict)

    async def look(self, batch: Batch, *, max_wait: float = MAX_WAIT) -> Seen:
        """Return the row data of a batch. If conversations have no row, complete it first, for a limited time."""
        seen = await self._seen(batch)
        if not seen.behind:
            return seen
        await self.complete(batch, max_wait=max_wait)
        return await self._seen(batch)

    async def complete(self, batch: Batch, *, max_wait: float = MAX_WAIT) -> None:
        """Complete a batch in a task of its own, and wait no longer than this."""
        if batch.id not in self._tasks:
            task = self._tasks[batch.id] = asyncio.create_task(self._complete(batch))
            task.add_done_callback(lambda _: self._tasks.pop(batch.id, None))
        await asyncio.wait({self._tasks[batch.id]}, timeout=max_wait)

    async def measures(self, batch: Batch, totals: RowTotals) -> Measures:
        """Return figures of the first conversations of a batch; cache them until something is new."""
        kept = self._measures.get(batch.id)
        if kept is None or kept[0] != totals:
            if len(self._measures) >= _KEPT:
                self._measures.pop(next(iter(self._measures)))
            kept = self._measures[batch.id] = totals, await self._measure(batch)
        return kept[1]

    async def close(self) -> None:
        """Stop completing."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _measure(self, batch: Batch) -> Measures:
        measuring = Measuring()
        async for conversation in self.store.conversations(batch.id, limit=MEASURED):
            measuring.add(conversation)
        return measuring.measures()

    async def _seen(self, batch: Batch) -> Seen:
        totals = await self.store.totals(batch.id)
        return Seen(await self.store.progress(batch.id), totals)

    async def _complete(self, batch: Batch) -> None:
        async with self._room:
            with suppress(SparringError):  # deleted meanwhile, or not writable: the next look reports it
                await complete(batch, self.store)


_SIGNIFICANT = 0.05


class TrendPoint(Value):
    """One batch of a trend.

    `change` and `score_change` say how its pass rate and score differ from earlier batches.
    """

    batch: str
    created: str
    conversations: int
    datasets: dict[str, str] = {}
    pass_rate: Intervals | None = None
    score: float | None = None
    score_interval: Intervals | None = None
    score_change: str = ""
    reply_seconds: float | None = None
    cost: float | None = None
    change: str = ""


async def trend(name: str, store: Store) -> list[TrendPoint]:
    """Return the batches of a name, oldest first. Raise InputError if there are none.

    A change is significant by an exact test of the cases in both batches, at 5 % for the whole series. Scores are
    compared while the judge and its rubric stay the same.
    """
    ids = sorted(await store.namesakes(name))
    if not ids:
        raise InputError(f"there is no batch called {name!r}", hint="sparring run --name NAME")
    points = list[TrendPoint]()
    since: NamedRows = {}
    scored: NamedRows = {}
    judged: tuple[str, str] | None = None
    for id in ids:
        batch = await store.batch(id)
        summary = await summarize(batch, store)
        scores = _scores(summary)
        question = (scores.judge, scores.rubric or scores.check) if scores else judged
        scored, judged = (scored if question == judged else {}), question
        passed, given = (await stored_rows(batch, store)).passed(), await _scored(batch, store)
        low, high = (scores.low, scores.high) if scores and scores.high > scores.low else (0.0, 1.0)
        questions = {"passed": Question(since, passed)}
        questions |= {"score": Question(scored, given, low, high)} if scores else {}
        changes = _changes(questions, len(ids))
        since, scored = (
            _joined({} if changes["passed"] else since, passed),
            _joined({} if changes.get("score") else scored, given),
        )
        points.append(_point(summary, batch.created.isoformat(), changes))
    return points


async def fallen_score(before: str, batch: Batch, store: Store) -> str:
    """Return a sentence about the mean score if it fell from an earlier batch; empty if not.

    Batches with other judges or rubrics are ignored.
    """
    earlier, batch = await store.batch(before), await store.batch(batch.id)
    if (earlier.who.judge, earlier.rubrics) != (batch.who.judge, batch.rubrics):
        return ""
    scale = batch.rubrics[0].scale if batch.rubrics else Scale()
    then, now = await _scored(earlier, store), await _scored(batch, store)
    change = tested({"score": Question(then, now, scale.worst, scale.best)})["score"]
    if change.direction != "worse":
        return ""
    cases = change.better + change.worse + change.same
    return (
        f"The mean score fell from {change.before:.3g} to {change.after:.3g}: worse in {change.worse} of {cases} cases."
    )


async def _scored(batch: Batch, store: Store) -> NamedRows:
    """Return the scores of a batch by case, from its rows."""
    _, found = await store.search(batch.id, ConversationQuery(), offset=0, limit=max(batch.planned, 1))
    given, rows = {row.conversation: row.score for row in found}, NamedRows()
    for id, case in batch.ids().items():
        rows.setdefault(case, []).append(given.get(id))
    return rows


def _joined(since: NamedRows, now: NamedRows) -> NamedRows:
    return {case: [*since.get(case, ()), *now.get(case, ())] for case in dict.fromkeys((*since, *now))}


def _changes(questions: Mapping[str, Question], looks: int) -> dict[str, str]:
    found = tested(questions)
    return {
        name: str(each.direction) if each.adjusted_p < _SIGNIFICANT / looks and each.direction != "not told" else ""
        for name, each in found.items()
    }


def _point(summary: Summary, created: str, changes: Mapping[str, str]) -> TrendPoint:
    scores = _scores(summary)
    return TrendPoint(
        batch=summary.batch,
        created=created,
        conversations=summary.stored,
        datasets=summary.datasets,
        pass_rate=summary.statistics.decided if summary.statistics else None,
        score=scores.spread.mean if scores else None,
        score_interval=scores.intervals if scores else None,
        score_change=changes.get("score", ""),
        reply_seconds=summary.reply_seconds.median if summary.reply_seconds.n else None,
        cost=summary.consumed.known_cost,
        change=changes["passed"],
    )


def _scores(summary: Summary) -> Scores | None:
    return next((each for each in summary.scores if each.spread.n), None)


def trend_text(points: Sequence[TrendPoint]) -> Iterator[str]:
    """Yield a line for each batch, with changes of the pass rate or the score."""
    for point in points:
        rate = point.pass_rate
        rated = "-" if rate is None or rate.value is None else rate_text(rate.these)
        parts = [
            f"{point.created[:16]}  {point.batch}  {point.conversations:,} conversations, passed {rated}",
            f"score {point.score:.3g}" + (f" {point.score_change.upper()} than before" if point.score_change else "")
            if point.score is not None
            else "",
            f"replies {point.reply_seconds:.3g} s" if point.reply_seconds is not None else "",
            f"${point.cost:,.4f}" if point.cost else "",
        ]
        yield ", ".join(filter(None, parts)) + (f"  {point.change.upper()} than before" if point.change else "")


def trend_csv(points: Sequence[TrendPoint]) -> Iterator[str]:
    """Yield the lines of a CSV table; unknown values are empty."""
    yield "batch,created,conversations,pass_rate,low,high,score,reply_seconds,cost,change,score_change,dataset"
    for point in points:
        rate = point.pass_rate
        rated = (rate.value, rate.these.low, rate.these.high) if rate and rate.value is not None else (None,) * 3
        cells = (*rated, point.score, point.reply_seconds, point.cost)
        figures = ("" if each is None else f"{each:.6g}" for each in cells)
        yield ",".join(
            [
                *(point.batch, point.created, str(point.conversations), *figures, point.change, point.score_change),
                "+".join(point.datasets.values()),
            ]
        )
