"""`sparring read FILE`: the goals and outputs that a reader extracts from recorded conversations."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.read import read_conversations
from sparring.cli import options
from sparring.cli.console import say, tell_skipped
from sparring.cli.process import PASSED, run_in_loop
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.extraction import extraction_json, extraction_text
from sparring.rules.inputs.recordings import Conversations
from sparring.settings import load_config

app = options.application()


@app.command()
def read(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Conversation files or folders: of Sparring, of SENSEI, or chat logs in JSON lines."
        ),
    ],
    reader: options.Reader = None,
    as_json: options.Json = False,
) -> int:
    """Read the goals and outputs of recorded conversations."""
    config = load_config({"reader": reader}, directory=Path.cwd())
    inputs = [Conversations(each) for each in files]
    if not run_in_loop(_read(inputs, config, as_json=as_json)):
        raise InputError(f"{', '.join(map(str, files))}: no conversations found")
    return PASSED


async def _read(inputs: list[Conversations], config: AppConfig, *, as_json: bool) -> int:
    """Print what is read, and return the number of conversations."""
    found: list[Json] = []
    number = 0
    async for id, extraction in read_conversations(_all(inputs), config):
        number += 1
        if as_json:
            found.append(extraction_json(id, extraction))
            continue
        for line in extraction_text(id, extraction):
            say(visible(line))
    if as_json and number:
        say(json.dumps({"conversations": found}, indent=2))
    return number


def _all(inputs: list[Conversations]) -> Iterator[Conversation]:
    for each in inputs:
        yield from each
        tell_skipped(each.skipped, "files or lines")
