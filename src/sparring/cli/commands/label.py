"""`sparring label BATCH`: record who people think is to blame, and where."""

import csv
import io
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from sparring.app.audit import agreement_on_blame
from sparring.app.config import AppConfig
from sparring.app.label import COLUMNS, Label, Opinion, label, labels_of, read_labels
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer
from sparring.cli.process import PASSED
from sparring.core.audit import Blame
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.reports.blame_agreement import blame_agreement_text
from sparring.reports.lines import counted

app = options.application()


@app.command("label")
@options.configured("store")
async def label_command(
    which: options.Batch = "latest",
    conversation: Annotated[str, typer.Option("--conversation", metavar="ID", help="Conversation to label.")] = "",
    outcome: Annotated[
        Opinion | None, typer.Option("--outcome", help="Your opinion; undecided if you cannot tell.")
    ] = None,
    blame: Annotated[Blame | None, typer.Option("--blame", help="Party to blame, if it did not pass.")] = None,
    turn: Annotated[int | None, typer.Option("--turn", min=1, help="Turn in which it went wrong.")] = None,
    score: Annotated[int | None, typer.Option("--score", help="Score on the scale of the batch.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Reason for your opinion.")] = "",
    who: Annotated[str, typer.Option("--who", help="Your name.")] = "",
    seen: Annotated[
        bool, typer.Option("--seen", help="You saw the outcome before: count it for no agreement.")
    ] = False,
    file: Annotated[Path | None, typer.Option("--file", metavar="CSV", help="Record the labels in this file.")] = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Record who people think is to blame; without options, print all labels as CSV."""
    fields = {"blame": blame, "turn": turn, "score": score, "reason": reason, "who": who, "blind": not seen}
    given = _given(conversation, outcome, fields) + (read_labels(file) if file else [])
    async with opened(config, which) as (batch, store):
        await label(batch, store, given, SystemClock().now())
        kept = await labels_of(batch, store)
        agreement = await agreement_on_blame(batch, store) if given else ()
    told: dict[str, Json] = {
        "batch": batch.id,
        "labels": [each.model_dump(mode="json") for each in kept],
        "agreement": [each.model_dump(mode="json") for each in agreement],
    }
    lines = [f"kept {counted(len(given), 'label')}", *blame_agreement_text(agreement)] if given else _csv(kept)
    answer("labels", told, lines, as_json=as_json)
    return PASSED


def _given(conversation: str, outcome: Opinion | None, fields: dict[str, Any]) -> list[Label]:
    """Return the label in the options of the command line, if there is one."""
    if conversation and outcome:
        return [Label(conversation=conversation, outcome=outcome, **fields)]
    if conversation or outcome or any(value not in (None, "", True) for value in fields.values()):
        hint = f"--conversation ID --outcome {'|'.join(get_args(Opinion))}"
        raise InputError("a label needs a conversation and an outcome", hint=hint)
    return []


def _csv(kept: list[Label]) -> list[str]:
    """Return labels as the lines of a CSV file that `--file` reads."""
    stream = io.StringIO()
    table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(each.model_dump(mode="json") for each in kept)
    return stream.getvalue().splitlines()
