"""`sparring cost BATCH`: what a batch cost."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import say
from sparring.cli.exits import PASSED
from sparring.cli.loop import run_in_loop
from sparring.core.terminal import visible
from sparring.core.terms import Rate
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.reporting.costs import Costs, read_prices
from sparring.reporting.counted import counted
from sparring.reporting.documents import printed
from sparring.runner.judged import costs_of
from sparring.settings import load as load_settings
from sparring.store.sqlite import SqliteStore

app = options.application()

_DEAREST = 10


@app.command()
def cost(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id, its name, or latest.")],
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            metavar="FILE",
            help="A file with `prices`, which beat those in sparring.yaml and those that are known.",
        ),
    ] = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> int:
    """Say what a batch cost, by role, by model and by conversation; what nobody knows is counted, and is never 0."""
    settings = load_settings({"store": store}, directory=Path.cwd())
    costs = run_in_loop(_costs(settings.store, which, {**settings.prices, **read_prices(prices)}))
    for line in [printed(_told(costs))] if as_json else _lines(costs):
        say(line)
    return PASSED


async def _costs(path: Path, which: str, prices: Mapping[str, Rate]) -> Costs:
    async with SqliteStore(path, must_exist=True) as store:
        return await costs_of(await store.batch(which), store, prices)


def _told(costs: Costs) -> dict[str, Json]:
    """`cost` is null where calls were made and none of them has a known price."""

    def each(usage: Usage) -> dict[str, Json]:
        return {**usage.model_dump(mode="json"), "cost": usage.known_cost}

    return {
        "batch": costs.batch,
        "total": each(costs.total),
        "roles": {name: each(usage) for name, usage in costs.roles.items()},
        "models": {name: each(usage) for name, usage in costs.models.items()},
        "conversations": {name: each(usage) for name, usage in costs.conversations.items()},
        "unkept": each(costs.unkept),
    }


def _lines(costs: Costs) -> Iterator[str]:
    yield visible(f"batch {costs.batch}: {_usage(costs.total)}")
    for title, parts in (("by role", costs.roles), ("by model", costs.models)):
        if parts:
            yield title
            yield from (visible(f"  {name}: {_usage(usage)}") for name, usage in parts.items())
    dearest = sorted(costs.conversations.items(), key=lambda each: (-each[1].cost, -_tokens(each[1])))
    if dearest:
        yield "by conversation, the dearest first"
        yield from (visible(f"  {name}: {_usage(usage)}") for name, usage in dearest[:_DEAREST])
        if len(dearest) > _DEAREST:
            yield f"  and {len(dearest) - _DEAREST:,} more: --json has all of them"
    if costs.unkept.calls:
        yield f"attempts that are not kept: {_usage(costs.unkept)}"


def _usage(usage: Usage) -> str:
    cached = f", {counted(usage.from_cache, 'answer')} from the cache" if usage.from_cache else ""
    if not usage.calls:
        return f"no calls{cached}"
    known = "cost unknown" if usage.known_cost is None else f"${usage.known_cost:,.4f}"
    if usage.known_cost is not None and usage.unknown_costs:
        known += f" and {usage.unknown_costs:,} of unknown price"
    untold = f", {usage.unknown_tokens:,} without a count" if usage.unknown_tokens else ""
    calls = counted(usage.calls, "call")
    return f"{known}, {calls}, {usage.input_tokens:,} tokens in and {usage.output_tokens:,} out{untold}{cached}"


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
