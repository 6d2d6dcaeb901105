"""Batches of a store, held against each other and against a gate."""

from collections.abc import Callable

from sparring.app.results import findings, results
from sparring.core.batch import Batch
from sparring.core.checks import Attempts
from sparring.core.errors import InputError
from sparring.reports.comparing_batches import ComparedBatch, compare
from sparring.reports.gate import Gated, GateTally, gated
from sparring.reports.summary import Summary
from sparring.store.store import Store, ignore


async def contender(
    batch: Batch, store: Store, *, attempts: Attempts = "first", unreadable: Callable[[str], None] = ignore
) -> ComparedBatch:
    """Return a batch as one side of a comparison, by its first attempts or by its last ones."""
    side = ComparedBatch(batch, attempts)
    side.found(await findings(batch, store))
    if (job := await store.job(batch.id)) is not None:
        side.replays = job.replays
    async for conversation, verdicts in results(batch, store, unreadable=unreadable):
        side.add(verdicts.reported(conversation))
    return side


async def pass_gate(tally: GateTally, summary: Summary, store: Store, *, after: ComparedBatch | None) -> Gated:
    """Hold a batch against a gate, and as one side of a comparison against its baseline, if it has one.

    A baseline that there is not is inconclusive: nothing says that it got no worse. A batch that has the name of its
    baseline is held against the newest before it, and none against itself.
    """
    if after is None:
        return gated(tally, summary)
    which = tally.gate.baseline
    if after.batch.name == which:
        which = next((id for id in await store.namesakes(which) if id < after.batch.id), after.batch.id)
    if which == after.batch.id:
        return gated(tally, summary)
    try:
        baseline = await store.batch(which)
    except InputError:
        return gated(tally, summary)
    return gated(tally, summary, compare(await contender(baseline, store, attempts=after.attempts), after))
