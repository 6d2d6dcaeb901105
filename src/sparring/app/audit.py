"""Audits of the conversations of a batch, as recorded with them."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from sparring.app.label import labels
from sparring.app.results import result, results
from sparring.audit.audit import KINDS
from sparring.audit.cohort import Cohort, CohortSample, cohort
from sparring.core.audit import Audit, Blame
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import Decision, Outcome, decide
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.core.verdict import HUMAN, CheckOutcome
from sparring.reports.calibration_text import BlameAgreement, agreements_on_blame
from sparring.runner.verdict_selection import ConversationVerdicts
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
    """Yield the void conversations of a batch and those with faults.

    Optionally, yield those of one party to blame or of one kind of fault. With a `conversation`, yield it even if it
    has no faults.
    """
    if kind and kind not in KINDS:
        raise InputError(f"--kind {kind}: unknown kind of fault", hint=suggest(kind, KINDS))
    async for each, verdicts in _selected(batch, store, conversation):
        audited = [verdict.audit for verdict in (*verdicts.built_in, *verdicts.judge) if verdict.audit]
        faults = [fault for one in audited for fault in one.faults if (not kind or fault.kind == kind)]
        if blame is not None and verdicts.decision.blame is not blame:
            continue
        if faults or (not kind and (conversation or verdicts.decision.outcome is Outcome.VOID)):
            found = (audited[0] if audited else Audit()).changed(faults=tuple(faults))
            yield AuditedConversation(each, found, verdicts.decision)


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


async def agreement_on_blame(batch: Batch, store: Store) -> tuple[BlameAgreement, ...]:
    """Return how often the audit and the checks agree with blind labels on the blame, by party."""
    pairs: dict[str, list[tuple[Blame | None, Blame | None]]] = {}
    async for given in labels(batch, store):
        if not given.blind or (given.blame is None and given.outcome is not CheckOutcome.PASS):
            continue
        about = await store.conversation(batch.id, given.conversation)
        checks = [each for each in (await result(batch, store, about)).deciding if each.judge != HUMAN]
        decision = decide(about, checks, crash=batch.crash, audit=batch.audit)
        pairs.setdefault(about.case.id, []).append((given.blame, decision.blame))
    return agreements_on_blame(pairs.values())


def audits_json(
    batch: Batch, found: Sequence[AuditedConversation], agreement: Iterable[BlameAgreement]
) -> dict[str, Json]:
    """Return the document of an audit."""
    return {
        "batch": batch.id,
        "void": sum(each.decision.outcome is Outcome.VOID for each in found),
        "faults": {**fault_counts(found)},
        "conversations": [_audit_json(each) for each in found],
        "agreement": [each.model_dump(mode="json") for each in agreement],
    }


def _audit_json(found: AuditedConversation) -> dict[str, Json]:
    decision = found.decision
    return {
        "conversation": found.conversation.id,
        "outcome": decision.outcome,
        "as_played": decision.as_played,
        "blame": decision.blame,
        "doubts": list(decision.doubts),
        **found.audit.model_dump(mode="json"),
    }


def fault_counts(found: Iterable[AuditedConversation]) -> dict[str, int]:
    """Return the number of faults of each kind and certainty, as `kind (certainty)`."""
    counts = Counter(f"{fault.kind} ({fault.certainty})" for each in found for fault in each.audit.faults)
    return dict(sorted(counts.items()))
