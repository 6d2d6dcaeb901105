"""`sparring read FILE`: the goals and outputs that a reader extracts from recorded conversations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.read import read_conversations
from sparring.cli import options
from sparring.cli.console import answer, say_all, warn_skipped
from sparring.cli.process import PASSED
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.extraction import extraction_json, extraction_text
from sparring.rules.inputs.recordings import Conversations


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
