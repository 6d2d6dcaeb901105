"""`sparring audit BATCH`: faults of the simulated users, with the words that show them."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.app.audit import audits, cohort_of
from sparring.app.config import AppConfig
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.arguments import batch_called
from sparring.cli.console import say
from sparring.cli.process import FAILED, PASSED, run_in_loop
from sparring.core.audit import Blame
from sparring.core.outcome import Outcome
from sparring.core.value import Json
from sparring.reports.audit import audit_json, audit_text, cohort_text, fault_counts
from sparring.reports.json_report import printed
from sparring.reports.lines import counted
from sparring.settings import load_config

app = options.application()


@app.command()
def audit(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="Batch: its id, its name, or latest.")] = "latest",
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="ID", help="Audit of one conversation only.")
    ] = "",
    blame: Annotated[Blame | None, typer.Option("--blame", help="Only conversations with this party to blame.")] = None,
    kind: Annotated[str, typer.Option("--kind", help="Only faults of this kind, such as wrong_value.")] = "",
    cohort: Annotated[bool, typer.Option("--cohort", help="Also compare the users with each other.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a conversation is void.")] = False,
    store: options.Store = None,
    as_json: options.Json = False,
) -> int:
    """List the faults of simulated users, which make conversations void."""
    config = load_config({"store": store}, directory=Path.cwd())
    void = run_in_loop(_audit(config, which, conversation, blame, kind, cohort=cohort, as_json=as_json))
    return FAILED if void and strict else PASSED


async def _audit(
    config: AppConfig, which: str, conversation: str, blame: Blame | None, kind: str, *, cohort: bool, as_json: bool
) -> int:
    """Print what is found, and return the number of void conversations."""
    async with open_store(config, must_exist=True) as store:
        batch = await batch_called(which, store)
        found = [each async for each in audits(batch, store, conversation=conversation, blame=blame, kind=kind)]
        alike = await cohort_of(batch, store) if cohort else None
    counts = fault_counts(fault for each in found for fault in each.audit.faults)
    void = sum(each.decision.outcome is Outcome.VOID for each in found)
    if as_json:
        told: dict[str, Json] = {
            "batch": batch.id,
            "void": void,
            "faults": {**counts},
            "conversations": [audit_json(each.conversation, each.audit, each.decision) for each in found],
        }
        say(printed(told if alike is None else {**told, "cohort": alike.model_dump(mode="json")}))
        return void
    for each in found:
        for line in audit_text(each.conversation, each.audit, each.decision):
            say(line)
    say(f"{counted(len(found), 'conversation')} with faults, {void:,} void")
    for name, count in counts.items():
        say(f"  {name}: {count:,}")
    for line in cohort_text(alike) if alike is not None else ():
        say(line)
    return void
