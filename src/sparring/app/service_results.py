"""States and result rows of stored batches, as the REST service and result files show them."""

from collections.abc import AsyncIterator

from sparring.app.completing import complete
from sparring.core.batch import IMPORT_INTERRUPTED, Batch, BatchExecution
from sparring.reports import service_results
from sparring.reports.service_results import BatchStatus, ScenarioResult
from sparring.runner.verdicts import placed_verdicts, verdict_reader
from sparring.store.store import ConversationFilter, Store

KILLED = "the process that ran this batch was killed"


async def batch_status(store: Store, batch: Batch) -> BatchStatus:
    """Return the state and progress of a batch."""
    job = await _execution(store, batch.id)
    return service_results.batch_status(batch, job, await store.progress(batch.id))


async def _execution(store: Store, batch: str) -> BatchExecution | None:
    """Return the execution state of a batch; cancelled if its process was killed before it could record that.

    Batches of a server are left alone: the server resumes them at its next start.
    """
    job = await store.job(batch)
    while job is not None and job.is_running and not job.served and not await store.is_played(batch):
        before, job = job, await store.job(batch)
        if job == before:  # it neither ended nor restarted while the lock was checked
            return job.model_copy(update={"cancelled": True, "stopped": KILLED})
    if job is not None and job.error == IMPORT_INTERRUPTED and await store.is_played(batch):
        return job.model_copy(update={"error": ""})  # it goes on
    return job


async def iter_results(store: Store, batch: Batch, *, transcripts: bool = False) -> AsyncIterator[ScenarioResult]:
    """Yield the result rows of a batch in the order of its cases; `batch` may come without its cases."""
    await complete(batch, store)
    verdicts = await verdict_reader(batch, store)
    async for conversation, found in store.with_results(batch.id):
        reported = verdicts(conversation, found).reported(conversation)
        yield service_results.scenario_result(found.position, reported, transcript=transcripts)


async def result_page(
    store: Store, batch: Batch, *, wanted: ConversationFilter, after: str, limit: int
) -> list[ScenarioResult]:
    """Return the result rows after a conversation; the batch may come without its cases."""
    if not after:
        await complete(batch, store)
    found = [each async for each in store.conversations(batch.id, wanted=wanted, after=after, limit=limit)]
    return [
        service_results.scenario_result(position, verdicts.reported(each))
        for each, (position, verdicts) in zip(found, await placed_verdicts(batch, store, found), strict=True)
    ]
