"""States and result rows of stored batches, as the REST service and the result files give them."""

from collections.abc import AsyncIterator, Mapping, Sequence

from sparring.app.results import own_verdicts, rules_alone, with_said
from sparring.core.batch import Batch, BatchExecution
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Verdict
from sparring.reports import service_results
from sparring.reports.service_results import BatchStatus, ScenarioResult
from sparring.store.store import ALL, ConversationFilter, Store

_CHUNK = 64
"""Maximum number of conversations held while rules are checked over them."""

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
    some: list[tuple[Conversation, list[Verdict]]] = []
    async for each in with_said(batch, store, wanted=wanted, after=after, limit=limit):
        some.append(each)
        if len(some) == _CHUNK or not batch.rules:
            for row in await _chunk_results(batch, places, some, transcripts):
                yield row
            some = []
    for row in await _chunk_results(batch, places, some, transcripts):
        yield row


async def _chunk_results(
    batch: Batch, places: Mapping[str, int], some: Sequence[tuple[Conversation, list[Verdict]]], transcripts: bool
) -> list[ScenarioResult]:
    """Return the rows of several conversations at once, so that rules are compiled once for all of them."""
    ruled = await rules_alone(batch, [conversation for conversation, _ in some]) if some else {}
    return [
        service_results.scenario_result(
            places[conversation.case.id],
            conversation,
            [*await own_verdicts(batch, conversation, said), *ruled.get(conversation.id, ())],
            transcript=transcripts,
        )
        for conversation, said in some
    ]


async def conversation_result(
    batch: Batch, index: int, conversation: Conversation, said: list[Verdict], *, transcript: bool = False
) -> ScenarioResult:
    """Return the result row of one conversation, given its judges' verdicts; check the batch's rules."""
    ruled = await rules_alone(batch, [conversation])
    verdicts = [*await own_verdicts(batch, conversation, said), *ruled.get(conversation.id, ())]
    return service_results.scenario_result(index, conversation, verdicts, transcript=transcript)


def case_index(batch: Batch, conversation: Conversation) -> int:
    """Return the index of a conversation's case in its batch."""
    for index, case in enumerate(batch.cases):
        if case.id == conversation.case.id:
            return index
    raise InputError(f"batch {batch.id} has no case {conversation.case.id!r}")
