"""`sparring import LOGS`: bring logs of real conversations into the store, for rules and judges."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.import_logs import import_logs as import_log
from sparring.app.import_logs import read_logs
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.console import answer, tell_skipped, warn, warn_of_people
from sparring.cli.process import PASSED
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.rules.inputs.chat_logs import columns_of

app = options.application()


@app.command("import")
@options.configured("store")
async def import_logs(
    logs: Annotated[
        Path,
        typer.Argument(
            metavar="LOGS",
            help="Log file with one message a row (.csv, or one JSON object a line), or what `sparring check` reads: a "
            "folder of conversation files (SENSEI's, too), or a file of conversations or chat logs.",
        ),
    ],
    columns: Annotated[
        str, typer.Option("--map", help="Columns of the log: id=COLUMN,role=COLUMN,text=COLUMN.")
    ] = "id=id,role=role,text=text",
    name: options.Name = "",
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Import logs of real conversations, so that rules and judges can run over them."""
    log = read_logs(logs, columns_of(columns))
    tell_skipped(log.skipped, "files or rows")
    if not log.conversations:
        raise InputError(f"{logs} holds no conversations", hint="--map id=COLUMN,role=COLUMN,text=COLUMN")
    async with open_store(config) as store:
        batch, notices = await import_log(log, store, name=name)
    for notice in notices:
        warn(notice.message)
    warn_of_people(batch, config)
    told: dict[str, Json] = {"batch": batch.id, "name": name, "conversations": len(log.conversations)}
    skipped: list[Json] = [each.model_dump(mode="json") for each in log.skipped]
    which = shlex.quote(visible(name or batch.id))
    lines = [f"imported: {len(log.conversations):,} conversations"]
    lines += [f"Details: sparring check --rule 'turns() < 12' --conversations {which}"]
    answer("imported", {**told, "skipped": skipped}, lines, as_json=as_json)
    return PASSED
