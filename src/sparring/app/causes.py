"""Causes of stored batches against earlier runs of their name, from the rows of conversations."""

from dataclasses import replace

from sparring.app.completing import complete
from sparring.app.computed import with_cases
from sparring.core.batch import Batch
from sparring.core.listing import ConversationQuery
from sparring.reports.cause_status import CauseHistory
from sparring.reports.causes import CauseTally
from sparring.store.store import Store


async def causes_in(batch: Batch, store: Store) -> CauseTally:
    """Return the causes of a stored batch, without reading a conversation."""
    whole = await with_cases(batch, store)
    tally, cases = CauseTally(whole), whole.ids()
    _, rows = await store.search(whole.id, ConversationQuery(), offset=0, limit=max(whole.planned, 1))
    for row in rows:
        tally.count(row.conversation, cases[row.conversation], row.counted, row.decision)
    return tally


async def earlier_causes(batch: Batch, store: Store) -> CauseHistory:
    """Return the earlier runs of a batch's name with their numbers, and the first run with each cause."""
    runs = dict(sorted((await store.namesakes(batch.name)).items()))
    first = await store.first_causes([id for id in runs if id < batch.id])
    return CauseHistory(first=first, runs=runs)


async def cause_history(batch: Batch, store: Store) -> CauseHistory:
    """Return the earlier runs of a name: those to compare a batch with, and the first one with each cause."""
    found = await earlier_causes(batch, store)
    previous, pinned = await _baselines([id for id in found.runs if id < batch.id], store)
    baseline = pinned or previous
    if not baseline:
        return found
    return replace(
        found,
        baseline=await _recorded(baseline, store),
        previous=await _recorded(previous, store) if previous not in ("", baseline) else None,
        pinned=bool(pinned),
    )


async def _baselines(earlier: list[str], store: Store) -> tuple[str, str]:
    """Return the last run that was finished, and the last one that was accepted; empty if there is none."""
    previous = ""
    for id in reversed(earlier):
        job = await store.job(id)
        finished = job is None or (job.ended is not None and not job.cancelled and not job.error)
        previous = previous or (id if finished else "")
        if job is not None and job.accepted:
            return previous, id
    return previous, ""


async def _recorded(id: str, store: Store) -> CauseTally:
    batch = await store.batch(id)
    await complete(batch, store)
    return await causes_in(batch, store)
