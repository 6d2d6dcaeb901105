"""The batches of a name over time: figures of each, and changes of the pass rate or the score."""

from collections.abc import Iterator, Mapping, Sequence

from sparring.app.listing import stored_rows
from sparring.app.results import summarize
from sparring.core.batch import Batch
from sparring.core.checks import Scale
from sparring.core.errors import InputError
from sparring.core.listing import ConversationQuery
from sparring.core.value import Value
from sparring.reports.batch_statistics import Intervals
from sparring.reports.case_rows import NamedRows
from sparring.reports.rate_text import rate_text
from sparring.reports.scores import Scores
from sparring.reports.summary import Summary
from sparring.reports.tested_changes import Question, tested
from sparring.store.store import Store

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
