"""`sparring audit BATCH`: faults of the simulated users, with the words that show them."""

from typing import Annotated

import typer

from sparring.app.audit import agreement_on_blame, audits, cohort_of
from sparring.app.config import AppConfig
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer
from sparring.cli.process import FAILED, PASSED
from sparring.core.audit import Blame
from sparring.core.outcome import Outcome
from sparring.core.value import Json
from sparring.reports.audit import audit_json, audit_text, cohort_text, fault_counts
from sparring.reports.blame_agreement import blame_agreement_text
from sparring.reports.lines import counted

app = options.application()


@app.command()
@options.configured("store")
async def audit(
    which: options.Batch = "latest",
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="ID", help="Audit of one conversation only.")
    ] = "",
    blame: Annotated[Blame | None, typer.Option("--blame", help="Only conversations with this party to blame.")] = None,
    kind: Annotated[str, typer.Option("--kind", help="Only faults of this kind, such as wrong_value.")] = "",
    cohort: Annotated[bool, typer.Option("--cohort", help="Also compare the users with each other.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a conversation is void.")] = False,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """List the faults of simulated users, which make conversations void."""
    async with opened(config, which) as (batch, store):
        found = [each async for each in audits(batch, store, conversation=conversation, blame=blame, kind=kind)]
        alike = await cohort_of(batch, store) if cohort else None
        agreement = await agreement_on_blame(batch, store)
    counts = fault_counts(fault for each in found for fault in each.audit.faults)
    void = sum(each.decision.outcome is Outcome.VOID for each in found)
    told: dict[str, Json] = {
        "batch": batch.id,
        "void": void,
        "faults": {**counts},
        "conversations": [audit_json(each.conversation, each.audit, each.decision) for each in found],
        "agreement": [each.model_dump(mode="json") for each in agreement],
    }
    lines = [line for each in found for line in audit_text(each.conversation, each.audit, each.decision)]
    lines += [f"{counted(len(found), 'conversation')} with faults, {void:,} void"]
    lines += [f"  {name}: {count:,}" for name, count in counts.items()]
    lines += blame_agreement_text(agreement)
    if alike is not None:
        told["cohort"] = alike.model_dump(mode="json")
        lines += cohort_text(alike)
    answer("audit", told, lines, as_json=as_json)
    return FAILED if void and strict else PASSED
