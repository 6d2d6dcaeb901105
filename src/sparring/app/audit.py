"""Audits of the conversations of a batch, as recorded with them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sparring.app.results import result, results
from sparring.audit.cohort import Cohort, CohortSample, cohort
from sparring.core.audit import Audit, Blame
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.outcome import Decision
from sparring.runner.verdicts import ConversationVerdicts
from sparring.store.store import Store


@dataclass(frozen=True, slots=True)
class AuditedConversation:
    """A conversation with what the audit found in it, and the decision about it."""

    conversation: Conversation
    audit: Audit
    decision: Decision


async def audits(
    batch: Batch, store: Store, *, conversation: str = "", blame: Blame | None = None, kind: str = ""
) -> AsyncIterator[AuditedConversation]:
    """Yield the conversations of a batch with faults, of one party to blame or one kind if given.

    With a `conversation`, it is yielded whether it has faults or not.
    """
    async for each, verdicts in _selected(batch, store, conversation):
        found = next((verdict.audit for verdict in verdicts.built_in if verdict.audit), Audit())
        faults = [fault for fault in found.faults if (not kind or fault.kind == kind)]
        if blame is not None and verdicts.decision.blame is not blame:
            continue
        if faults or (conversation and not kind):
            yield AuditedConversation(each, found.changed(faults=tuple(faults)), verdicts.decision)


async def _selected(
    batch: Batch, store: Store, conversation: str
) -> AsyncIterator[tuple[Conversation, ConversationVerdicts]]:
    """Yield the conversation of this id, or all of the batch without one, with recorded verdicts."""
    if conversation:
        found = await store.conversation(batch.id, conversation)
        yield found, await result(batch, store, found)
        return
    async for each in results(batch, store):
        yield each


async def cohort_of(batch: Batch, store: Store) -> Cohort:
    """Return how alike the simulated users of a batch are."""
    return cohort([CohortSample(each) async for each in store.conversations(batch.id)])
