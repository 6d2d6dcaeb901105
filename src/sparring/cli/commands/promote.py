"""`sparring promote BATCH CONVERSATION`: a recorded conversation as a scenario."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.promote import PromoteOptions, promote_stored
from sparring.cli import options
from sparring.cli.arguments import new_scenario_file, opened
from sparring.cli.console import answer, notify
from sparring.cli.process import PASSED
from sparring.core.text import visible


@options.configured("store")
async def promote_conversation(
    which: options.Batch,
    id: Annotated[str, typer.Argument(metavar="CONVERSATION")],
    at: Annotated[int | None, typer.Option("--at", min=1, metavar="N")] = None,
    user: Annotated[Literal["script", "goals"], typer.Option("--user")] = "script",
    write: Annotated[Path | None, typer.Option("--write", metavar="FILE.yml")] = None,
    live_tools: Annotated[bool, typer.Option("--live-tools")] = False,
    keep_values: Annotated[bool, typer.Option("--keep-values")] = False,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Turn a recorded conversation into a scenario, and replace personal data.

    Messages before N become the history, results of tools become stubs, and rules that failed become expectations.
    """
    if write:
        new_scenario_file(write)
    async with opened(config, which) as (batch, store):
        made = await promote_stored(batch, store, id, PromoteOptions(at, user, live_tools, keep_values))
    if write:
        write.parent.mkdir(parents=True, exist_ok=True)
        write.write_text(made.text, encoding="utf-8")
    for note in made.notes:
        notify(f"note: {visible(note)}")
    lines = [f"written: {write}"] if write else made.text.splitlines()
    answer("promoted", made.document(str(write) if write else ""), lines, as_json=as_json)
    return PASSED
