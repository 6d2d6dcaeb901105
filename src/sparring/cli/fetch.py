"""`sparring fetch BATCH`: a batch that was run, in files for other programs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.cli import options
from sparring.cli.console import say, tell, unreadable
from sparring.cli.exits import PASSED
from sparring.cli.loop import run_in_loop
from sparring.cli.output_folder import write_ndjson
from sparring.core.errors import InputError
from sparring.reporting.documents import line
from sparring.runner.concluding import with_verdicts
from sparring.settings import load as load_settings
from sparring.store.sqlite import SqliteStore

app = options.application()

Format = Literal["ndjson", "inspect", "inspect-json"]


@app.command()
def fetch(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id, its name, or latest.")],
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            help="ndjson: a conversation a line; inspect: logs (.eval) that `inspect view` opens, "
            "and inspect-json: the same as JSON.",
        ),
    ] = "ndjson",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            help="The folder to write into; without one, ndjson is printed and logs go to logs/BATCH.",
        ),
    ] = None,
    store: options.Store = None,
) -> int:
    """Write a batch that was run into files for other programs."""
    settings = load_settings({"store": store}, directory=Path.cwd())
    if output is not None and output.exists() and not output.is_dir():
        raise InputError(f"--output {output}: is not a folder")
    if format == "ndjson":
        run_in_loop(_lines(settings.store, which, output))
    else:
        run_in_loop(_logs(settings.store, which, output, "json" if format == "inspect-json" else "eval"))
    return PASSED


async def _lines(path: Path, which: str, folder: Path | None) -> None:
    async with SqliteStore(path, must_exist=True) as store:
        batch = await store.batch(which)
        conversations = store.conversations(batch.id, unreadable=unreadable)
        if folder is None:
            async for conversation in conversations:
                say(line(conversation).decode().rstrip("\n"))
            return
        tell(f"written: {await write_ndjson(folder, conversations)}")


async def _logs(path: Path, which: str, folder: Path | None, suffix: Literal["eval", "json"]) -> None:
    from sparring.inspecting.exporting import export  # who fetches nothing of the kind needs none of it

    async with SqliteStore(path, must_exist=True) as store:
        batch = await store.batch(which)
        complete = len(await store.stored(batch.id)) == batch.planned
        found = with_verdicts(batch, store, unreadable=unreadable)
        written = await export(batch, found, folder or Path("logs", batch.id), suffix=suffix, complete=complete)
    for each in written:
        say(str(each))
    tell(f"Look at them: inspect view --log-dir {written[0].parent}")
