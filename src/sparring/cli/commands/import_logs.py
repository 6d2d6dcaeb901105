"""`sparring import LOGS`: store logs of real conversations for rules and judges.

`sparring read FILE`: the goals and outputs that a reader extracts from recorded conversations.
"""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.import_logs import import_logs as import_log
from sparring.app.import_logs import imported_json, read_conversations
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.console import answer, say_all, warn, warn_of_people, warn_skipped
from sparring.cli.process import PASSED
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.lines import counted
from sparring.reports.transcript import extraction_json, extraction_text
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
    lines += [f"Details: sparring show {which}"]
    lines += [f"Rules:   sparring check --rule 'turns() < 12' --conversations {which}"]
    answer("imported", imported_json(batch, number, found.skipped), lines, as_json=as_json)
    return PASSED


@options.configured("reader")
async def read(
    files: Annotated[list[Path], typer.Argument(metavar="FILE")],
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Read the goals and outputs of recorded conversations."""
    found: list[Json] = []
    number = 0
    logs = [Conversations(each, tool_errors=config.tool_errors) for each in files]
    async for id, extraction in read_conversations(_all(logs), config):
        number += 1
        if as_json:
            found.append(extraction_json(id, extraction))
        else:
            say_all(map(visible, extraction_text(id, extraction)))
    if not number:
        raise InputError(f"{', '.join(map(str, files))}: no conversations found")
    if as_json:
        answer("reading", {"conversations": found}, as_json=True)
    return PASSED


def _all(inputs: list[Conversations]) -> Iterator[Conversation]:
    for each in inputs:
        yield from each
        warn_skipped(each.skipped)
