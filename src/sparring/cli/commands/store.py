"""`sparring store`: copy a store to another database, migrate it, or recount its figures."""

from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.event_loop import run_in_loop
from sparring.app.stores import copy_between, open_store, rebuild_figures
from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import FAILED, PASSED
from sparring.core.addresses import address, shown
from sparring.core.value import Json

app = options.application()


@app.callback()
def main() -> None:
    """Keep a store up to date, recount its figures, or copy it to another database."""


@app.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM")],
    target: Annotated[str, typer.Argument(metavar="TO")],
    as_json: options.Json = False,
) -> int:
    """Copy all batches with their conversations and verdicts. Jobs of workers are not copied."""
    copied = run_in_loop(copy_between(address(source), address(target)))
    body: dict[str, Json] = {"from": shown(address(source)), "to": shown(address(target)), "conversations": copied}
    answer("copied", body, [f"copied {copied:,} conversations to {body['to']}"], as_json=as_json)
    return PASSED


@app.command()
@options.configured("store")
async def migrate(config: AppConfig, as_json: options.Json = False) -> int:
    """Create or update the tables of the store. Every other command does so, too."""
    async with open_store(config) as store:
        batches = await store.count()
    answer("migrated", {"store": shown(config.store), "batches": batches}, ["the store is up to date"], as_json=as_json)
    return PASSED


@app.command()
@options.configured("store")
async def rebuild(config: AppConfig, as_json: options.Json = False) -> int:
    """Recount the figures of all batches, and drop cached summaries, gates and costs.

    Exit code: 1 if a figure was wrong.
    """
    async with open_store(config, must_exist=True) as store:
        counted, wrong = await rebuild_figures(store)
    body: dict[str, Json] = {"store": shown(config.store), "batches": counted, "wrong": wrong}
    batches = "1 batch" if counted == 1 else f"{counted:,} batches"
    corrected = f"{wrong:,} figures were wrong and are corrected" if wrong else "all figures were right"
    answer("rebuilt", body, [f"counted {batches}: {corrected}"], as_json=as_json)
    return FAILED if wrong else PASSED
