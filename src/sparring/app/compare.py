"""Comparisons of stored batches with each other and with a gate."""

from collections.abc import Callable, Sequence

from sparring.app.calibrate import corrections, uncalibrated
from sparring.app.computed import basis, complete, computed, figures, keep_computed, with_cases
from sparring.app.listing import stored_rows
from sparring.app.results import compared_side, earlier_causes, findings, standard_figures
from sparring.core.batch import Batch, BatchExecution, Until
from sparring.core.case import Case
from sparring.core.checks import Attempts
from sparring.core.errors import InputError
from sparring.reports.case_rows import NamedRows
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import EXAMPLES, compare, pooled
from sparring.reports.comparison import Comparison, Night
from sparring.reports.gate import Gated, GateTally, gated
from sparring.reports.summary import Summary
from sparring.reports.tested_changes import Question, tested
from sparring.store.store import Store, ignore

_DRAWN = 30
"""Most nights of a series whose changes are computed."""


async def contender(
    batch: Batch, store: Store, *, attempts: Attempts = "first", unreadable: Callable[[str], None] = ignore
) -> ComparedBatch:
    """Return a batch as one side of a comparison, by its first attempts or by its last ones."""
    await complete(batch, store)
    batch = await with_cases(batch, store)
    side: ComparedBatch
    beside = standard_figures(batch)
    (side,) = await figures(batch, store, compared_side(attempts), unreadable=unreadable, beside=beside)
    side.findings, side.history = await findings(batch, store), await earlier_causes(batch, store)
    if (job := await store.job(batch.id)) is not None:
        side.replays = job.replays
    return side


async def compare_stored(
    before: Batch,
    after: Batch,
    store: Store,
    *,
    attempts: Attempts = "first",
    examples: int = EXAMPLES,
    unreadable: Callable[[str], None] = ignore,
) -> Comparison:
    """Compare two stored batches, which need no cases; keep the result until something changes."""
    for batch in (before, after):
        await complete(batch, store)
    hash = await basis(after, store, await basis(before, store), attempts, examples)
    kind = f"comparison with {before.id}"
    if held := await computed(after, store, kind, hash, Comparison):
        return held
    unread = list[str]()
    sides = [await contender(each, store, attempts=attempts, unreadable=unread.append) for each in (before, after)]
    found = compare(*sides, examples=examples)
    for id in unread:
        unreadable(id)
    if not unread:
        await keep_computed(after, store, kind, hash, found)
    return found


async def baseline_outcomes(until: Until, cases: Sequence[Case], store: Store, attempts: Attempts) -> NamedRows:
    """Return the outcomes of a batch's baseline by case, for a batch that runs until it is decided."""
    ids = (until.baseline, *until.nights)
    nights = [await contender(await store.batch(id), store, attempts=attempts) for id in ids]
    return pooled(nights, cases)[0].rows.passed()


async def nights_of(name: str, store: Store, before: str) -> list[str]:
    """Return the ids of the nights of a series.

    Nights are batches with this name and an id before `before`, since the last accepted one.
    """
    ids = sorted(id for id in await store.namesakes(name) if id <= before)
    first = 0
    for place, id in reversed(list(enumerate(ids))):
        job = await store.job(id)
        if job is not None and job.accepted:
            first = place
            break
    return [id for id in ids[first:] if id != before]


async def _series(ids: Sequence[str], baseline: ComparedBatch, store: Store, attempts: Attempts) -> tuple[Night, ...]:
    """Return the latest of these nights, with their changes from the baseline."""
    found = []
    for id in ids[-_DRAWN:]:
        batch = await store.batch(id)
        passed = (await stored_rows(batch, store, attempts)).passed()
        change = tested({id: Question(baseline.rows.passed(), passed)})[id]
        found.append(Night(batch=id, created=batch.created, change=change.these))
    return tuple(found)


async def compare_with_baseline(which: str, after: ComparedBatch, store: Store, nights: int) -> Comparison | None:
    """Compare a batch with another one; its own name means the first nights of its series.

    None if there is nothing to compare with: a batch is not compared with itself or with a later one of its name.
    """
    later: list[str] = []
    if after.batch.name == which:
        ids = await nights_of(which, store, after.batch.id)
        ids, later = ids[:nights], ids[nights:]
    else:
        try:
            ids = [(await store.batch(which)).id]
        except InputError:
            ids = []
    if not ids or ids == [after.batch.id]:
        return None

    async def side(id: str) -> ComparedBatch:
        return await contender(await store.batch(id), store, attempts=after.attempts)

    held = [await side(id) for id in ids]
    if after.batch.name != which:
        return compare(held[0], after)
    before, baseline = pooled(held, after.batch.cases)
    if later:
        night = await side(later[-1])
        earlier = compare(pooled(held, night.batch.cases)[0], night).primary
        worse = tuple(name for name, change in earlier.items() if change.direction == "worse")
        baseline = baseline.model_copy(update={"last_night": worse})
    comparison = compare(before, after)
    tonight = Night(batch=after.batch.id, created=after.batch.created, change=comparison.changes.these)
    series = (*await _series(later, before, store, after.attempts), tonight)
    return comparison.changed(baseline=baseline.model_copy(update={"series": series}))


async def with_baseline(batch: Batch, summary: Summary, store: Store) -> Comparison | None:
    """Compare a batch with the baseline of its summary; None if it has none."""
    if summary.baseline is None:
        return None
    before = await store.batch(summary.baseline.batch)
    return compare(await contender(before, store), await contender(batch, store))


async def pass_gate(tally: GateTally, summary: Summary, store: Store, *, after: ComparedBatch | None) -> Gated:
    """Check a batch against a gate, and compare it with the gate's baseline, if it has one.

    A missing baseline makes the gate inconclusive: nothing shows that the batch is not worse.
    """
    gate = tally.gate
    doubt = await uncalibrated(tally.batch, store) if gate.judge else ""
    corrected = await corrections(tally.batch, store) if gate.judge and not doubt else {}
    comparison = None
    if after is not None:
        comparison = await compare_with_baseline(gate.baseline, after, store, gate.baseline_nights)
    return gated(tally, summary, comparison, doubt=doubt, corrected=corrected)


async def accept(batch: Batch, store: Store) -> None:
    """Start the baseline of a series at a batch."""
    job = await store.job(batch.id) or BatchExecution(batch=batch.id, ended=batch.created)
    await store.keep_job(job.changed(accepted=True))
