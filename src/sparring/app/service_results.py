"""States and result rows of stored batches, as the REST service and the result files give them."""

from collections.abc import AsyncIterator

from sparring.app import results as recorded
from sparring.core.batch import Batch, BatchExecution
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.reports import service_results
from sparring.reports.service_results import BatchStatus, ScenarioResult
from sparring.store.store import ALL, ConversationFilter, Store

KILLED = "the process that ran this batch was killed"


async def batch_status(store: Store, batch: Batch) -> BatchStatus:
    """Return the state and progress of a batch."""
    job = await _execution(store, batch.id)
    return service_results.batch_status(batch, job, await store.progress(batch.id))


async def _execution(store: Store, batch: str) -> BatchExecution | None:
    """Return the execution state of a batch, as cancelled if its process was killed before it could record that.

    Batches of a server are left alone: the server resumes them when it starts again.
    """
    job = await store.job(batch)
    while job is not None and job.is_running and not job.served and not await store.is_played(batch):
        before, job = job, await store.job(batch)
        if job == before:  # it neither ended nor restarted while the lock was checked
            return job.model_copy(update={"cancelled": True, "stopped": KILLED})
    return job


async def iter_results(
    store: Store,
    batch: Batch,
    *,
    wanted: ConversationFilter = ALL,
    after: str = "",
    limit: int | None = None,
    transcripts: bool = False,
) -> AsyncIterator[ScenarioResult]:
    """Yield the result rows of a batch in the order of its cases; `batch` comes with its cases."""
    places = {case.id: index for index, case in enumerate(batch.cases)}
    found = recorded.results(batch, store, where=wanted, after=after, limit=limit)
    async for conversation, verdicts in found:
        index = places[conversation.case.id]
        yield service_results.scenario_result(index, verdicts.reported(conversation), transcript=transcripts)


def case_index(batch: Batch, conversation: Conversation) -> int:
    """Return the index of a conversation's case in its batch."""
    for index, case in enumerate(batch.cases):
        if case.id == conversation.case.id:
            return index
    raise InputError(f"batch {batch.id} has no case {conversation.case.id!r}")
