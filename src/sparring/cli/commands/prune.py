"""`sparring prune`: delete old batches."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.retention import Old, forget, old
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.console import answer, notify
from sparring.cli.process import PASSED
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json


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
