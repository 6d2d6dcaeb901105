"""`sparring audit BATCH`: faults of the simulated users, with the words that show them."""

from collections.abc import Iterator
from typing import Annotated

import typer

from sparring.app.audit import agreement_on_blame, audits, audits_json, cohort_of, fault_counts
from sparring.app.config import AppConfig
from sparring.audit.cohort import Cohort, Measure
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer
from sparring.cli.process import FAILED, PASSED
from sparring.core.audit import Audit, Blame
from sparring.core.conversation import Conversation
from sparring.core.outcome import Decision, Outcome
from sparring.core.text import visible
from sparring.reports.calibration_text import blame_agreement_text
from sparring.reports.lines import counted


@options.configured("store")
async def audit(
    which: options.Batch = "latest",
    conversation: Annotated[str, typer.Option("--conversation", metavar="ID")] = "",
    blame: Annotated[Blame | None, typer.Option("--blame")] = None,
    kind: Annotated[str, typer.Option("--kind")] = "",
    cohort: Annotated[bool, typer.Option("--cohort")] = False,
    strict: Annotated[bool, typer.Option("--strict")] = False,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """List the faults of simulated users, which make conversations void."""
    async with opened(config, which) as (batch, store):
        found = [each async for each in audits(batch, store, conversation=conversation, blame=blame, kind=kind)]
        alike = await cohort_of(batch, store) if cohort else None
        agreement = await agreement_on_blame(batch, store)
    body = audits_json(batch, found, agreement)
    counts, void = fault_counts(found), sum(each.decision.outcome is Outcome.VOID for each in found)
    lines = [line for each in found for line in audit_text(each.conversation, each.audit, each.decision)]
    faulty = sum(bool(each.audit.faults) for each in found)
    lines += [f"{counted(faulty, 'conversation')} with faults, {void:,} void"]
    lines += [f"  {name}: {count:,}" for name, count in counts.items()]
    lines += blame_agreement_text(agreement)
    if alike is not None:
        body["cohort"] = alike.model_dump(mode="json")
        lines += cohort_text(alike)
    answer("audit", body, lines, as_json=as_json)
    return FAILED if void and strict else PASSED


def audit_text(conversation: Conversation, audit: Audit, decision: Decision) -> Iterator[str]:
    """Yield the outcome of a conversation, and each of its faults with its words."""
    blame = f", to blame: {decision.blame}" if decision.blame else ""
    played = f" ({decision.as_played} as played)" if decision.as_played else ""
    yield f"{visible(conversation.id)}: {decision.outcome}{played}{blame}"
    for fault in audit.faults:
        yield f"  {fault.kind} ({fault.certainty}, {fault.blame}): {visible(fault.reason)}"
        for quote in fault.evidence:
            yield f'    turn {conversation.turn_of(quote.at)}: "{visible(quote.text)}"'
    if not audit.faults:
        reasons = [each.text for each in decision.reasons] if decision.outcome is Outcome.VOID else []
        yield from (f"  {visible(each)}" for each in reasons or ["no faults"])
    if audit.unmeasured:
        yield f"  not measured: {', '.join(audit.unmeasured)}"


def cohort_text(cohort: Cohort) -> Iterator[str]:
    """Yield how alike the simulated users of a batch are."""
    if cohort.distinct_openings is None:
        yield f"Cohort: {cohort.conversations:,} conversations are too few to compare their users"
        return
    yield f"Cohort of {cohort.conversations:,} conversations"
    yield f"  distinct openings: {cohort.distinct_openings:.0%}"
    if cohort.self_similarity is not None:
        yield f"  self-similarity of openings: {cohort.self_similarity:.2f} (0 none alike, 1 all alike)"
    yield from _measured("values said in the first message", cohort.front_loading, percent=True)
    yield from _measured("goals brought up in order", cohort.goals_in_order, percent=True)
    yield from _measured("words per message", cohort.words_per_message)
    if cohort.act_entropy is not None:
        yield f"  entropy of pairs of acts: {cohort.act_entropy:.1f} bits"
    yield from (f"  Warning: {warning}" for warning in cohort.warnings)


def _measured(name: str, measure: Measure | None, *, percent: bool = False) -> Iterator[str]:
    if measure is not None:
        form = "{:.0%}" if percent else "{:.1f}"
        value, low, high = (form.format(each) for each in (measure.value, measure.low, measure.high))
        yield f"  {name}: {value} ({low} to {high}, 95 %)"
