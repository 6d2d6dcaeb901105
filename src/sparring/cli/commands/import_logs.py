"""`sparring import LOGS`: store logs of real conversations for rules and judges."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.import_logs import import_logs as import_log
from sparring.app.import_logs import imported_json
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.console import answer, warn, warn_of_people, warn_skipped
from sparring.cli.process import PASSED
from sparring.core.text import visible
from sparring.reports.lines import counted
from sparring.rules.inputs.recordings import Conversations
from sparring.rules.inputs.rows import columns_of


@options.configured("store")
async def import_logs(
    logs: Annotated[Path, typer.Argument(metavar="LOGS")],
    columns: options.RowColumns = "id=id,role=role,text=text",
    format: Annotated[str, typer.Option("--format", metavar="NAME")] = "auto",
    complete_tools: options.CompleteTools = False,
    name: options.Name = "",
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Import logs of real conversations, so that rules and judges can run over them."""
    found = Conversations(
        logs,
        format=format,
        columns=columns_of(columns),
        complete_tools=complete_tools,
        tool_errors=config.tool_errors,
    )
    async with open_store(config) as store:
        batch, number, notices = await import_log(found, store, name=name)
    warn_skipped(found.skipped)
    for notice in notices:
        warn(notice.message)
    warn_of_people(batch, config)
    which = shlex.quote(visible(name or batch.id))
    lines = [f"imported: {counted(number, 'conversation')}"]
    lines += [f"Details: sparring check --rule 'turns() < 12' --conversations {which}"]
    answer("imported", imported_json(batch, number, found.skipped), lines, as_json=as_json)
    return PASSED
