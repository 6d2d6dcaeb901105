"""`sparring store`: copy a store to another database, migrate it, or recount its figures.

`sparring prune`: delete old batches.
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.event_loop import run_in_loop
from sparring.app.retention import Old, forget, old
from sparring.app.stores import copy_between, open_store, rebuild_all
from sparring.cli import options
from sparring.cli.console import answer, notify
from sparring.cli.process import FAILED, PASSED
from sparring.core.addresses import address, shown
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.text import visible
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
    """Compute the figures of all batches again, such as after an update, so that reports only read them.

    Exit code: 1 if a figure was wrong.
    """
    async with open_store(config, must_exist=True) as store:
        counted, wrong = await rebuild_all(store)
    body: dict[str, Json] = {"store": shown(config.store), "batches": counted, "wrong": wrong}
    batches = "1 batch" if counted == 1 else f"{counted:,} batches"
    corrected = f"{wrong:,} figures were wrong and are corrected" if wrong else "all figures were right"
    answer("rebuilt", body, [f"counted {batches}: {corrected}"], as_json=as_json)
    return FAILED if wrong else PASSED


@options.configured("keep_days", "store")
async def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Delete batches in which nothing happened for this many days, with their conversations and logs.

    Running batches, batches with the tag keep, the baseline of the gate, and result files are kept.
    """
    if config.keep_days is None:
        raise InputError("no maximum age given", hint="--days 30, or keep_days in sparring.yaml")
    before = SystemClock().now() - timedelta(days=config.keep_days)
    config = replace(config, output=replace(config.output, logs=config.output.logs or Path("logs")))
    async with open_store(config, must_exist=True) as store:
        found = [each async for each in old(store, before, config)]
        for each in found:
            if not each.kept and not dry_run:
                await forget(store, each.batch.id, config.output.logs)
    going, staying = ([each for each in found if bool(each.kept) is kept] for kept in (False, True))
    body: dict[str, Json] = {
        "forgotten": [_as_json(each) for each in going],
        "kept": [_as_json(each) for each in staying],
    }
    lines = (visible(f"{'would forget' if dry_run else 'forgot'}  {_line(each)}") for each in going)
    answer("pruned", body, lines, as_json=as_json)
    for each in staying if not as_json else ():
        notify(visible(f"kept  {_line(each)}: {each.kept}"))
    if not found and not as_json:
        notify(f"nothing is older than {config.keep_days} days")
    return PASSED


def _line(found: Old) -> str:
    return f"{found.batch.id}  {found.last:%Y-%m-%d}  {found.batch.name}".rstrip()


def _as_json(found: Old) -> Json:
    body: dict[str, Json] = {"batch": found.batch.id, "name": found.batch.name, "last": found.last.isoformat()}
    return {**body, "why": found.kept} if found.kept else body
