"""`sparring trend NAME`: the batches of a name over time."""

from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.trend import trend, trend_csv, trend_text
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer
from sparring.cli.process import PASSED
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json


@options.configured("store")
async def show_trend(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    as_csv: Annotated[bool, typer.Option("--csv")] = False,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Show the batches of a name, oldest first, and where their pass rate changed."""
    if as_csv and as_json:
        raise InputError("--csv and --json: choose one of them")
    async with opened(config, name, head=True) as (_, store):
        points = await trend(name, store)
    body: dict[str, Json] = {"name": name, "batches": [point.model_dump(mode="json") for point in points]}
    answer("trend", body, trend_csv(points) if as_csv else map(visible, trend_text(points)), as_json=as_json)
    return PASSED
