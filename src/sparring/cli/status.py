"""`sparring status BATCH`: how far a batch is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import say
from sparring.cli.exits import FAILED, PASSED, UNDECIDED
from sparring.cli.loop import run_in_loop
from sparring.cli.naming import head_called
from sparring.cli.remote import ApiUrl, Remote, TokenFile
from sparring.core.text import visible
from sparring.reports.json_report import printed
from sparring.settings import load as load_settings
from sparring.store.sqlite.locks import is_held
from sparring.store.sqlite.store import SqliteStore
from sparring.web.documented import BatchStatus, Status
from sparring.web.service import status as status_of

app = options.application()

WAITS = "no server is there that plays it; the next one that is started with this store goes on with it"
_CODES = {Status.FAILED: FAILED, Status.CANCELLED: UNDECIDED}


@app.command()
def status(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id or latest; in a store, its name too.")],
    api_url: ApiUrl = None,
    token_file: TokenFile = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> int:
    """Say how far a batch is: 1 if it failed, 3 if it was cancelled, and 0 otherwise."""
    if api_url is not None:
        told = run_in_loop(_remote(Remote(api_url, token_file), which))
    else:
        told = run_in_loop(_local(load_settings({"store": store}, directory=Path.cwd()).store, which))
    for line in [printed(told.model_dump(mode="json"))] if as_json else _lines(told):
        say(line)
    return _CODES.get(told.status, PASSED)


async def _remote(server: Remote, which: str) -> BatchStatus:
    return BatchStatus.model_validate(await server.ask("GET", await server.batch(which)))


async def _local(path: Path, which: str) -> BatchStatus:
    async with SqliteStore(path, must_exist=True) as store:
        told = await status_of(store, await head_called(which, store))
        if told.status.final or is_held(path) or await store.is_played(told.batch_id):
            return told
        job = await store.job(told.batch_id)
    if job is None or not job.served or not job.under_way:
        return told  # its playing came to an end between two looks
    return told.model_copy(update={"status": Status.PENDING, "error_message": WAITS})


def _lines(told: BatchStatus) -> Iterator[str]:
    yield visible(f"batch {told.batch_id} {told.name}".rstrip() + f": {told.status}")
    yield (
        f"  {told.progress:g}%: {told.completed_scenarios:,} completed and {told.failed_scenarios:,} that could"
        f" not be held, of {told.total_scenarios:,}"
    )
    times = {"created": told.created_at, "started": told.started_at, "ended": told.completed_at}
    yield "  " + ", ".join(f"{name} {time:%Y-%m-%d %H:%M:%S}" for name, time in times.items() if time) + " UTC"
    if told.error_message:
        yield visible(f"  {told.error_message}")
