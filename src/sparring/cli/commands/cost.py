"""`sparring cost BATCH`: what a batch cost."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.results import DEAREST, costs_of
from sparring.cli import options
from sparring.cli.arguments import opened, warn_of_missing_figures
from sparring.cli.console import answer
from sparring.cli.process import PASSED
from sparring.core.batch import Batch
from sparring.core.text import visible
from sparring.core.usage import Pricing, Usage
from sparring.core.value import Json
from sparring.reports.usage import (
    Costs,
    call_json,
    call_lines,
    calls_of,
    dearest,
    read_prices,
    unconfirmed_line,
    usage_text,
)
from sparring.store.store import Store


@options.configured("store")
async def cost(
    which: options.Batch,
    id: Annotated[str, typer.Argument(metavar="CONVERSATION")] = "",
    prices: Annotated[Path | None, typer.Option("--prices", metavar="FILE")] = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Show the cost of a batch by role, model and conversation, or of each call of a conversation.

    Unknown costs are counted and never shown as 0.
    """
    known = {**config.llm.prices, **read_prices(prices)}
    async with opened(config, which, head=True) as (batch, store):
        if id:
            await _calls(batch, store, id, known, as_json)
            return PASSED
        await warn_of_missing_figures(batch, store)
        costs = await costs_of(batch, store, known, dearest=None if as_json else DEAREST)
        unconfirmed = await store.unconfirmed(batch.id)
    answer("cost", _as_json(costs, unconfirmed), [*_lines(costs), *unconfirmed_line(unconfirmed)], as_json=as_json)
    return PASSED


async def _calls(batch: Batch, store: Store, id: str, prices: Mapping[str, Pricing], as_json: bool) -> None:
    """Print the usage of each call of a conversation."""
    conversation = await store.conversation(batch.id, id)
    verdicts = [verdict async for verdict in store.verdicts(batch.id, conversation=conversation.id)]
    calls = calls_of(conversation, batch.who, prices)
    judges: list[Json] = [
        {"check": each.check, "judge": each.judge or each.by, **each.usage.model_dump(mode="json")}
        for each in verdicts
        if each.usage.calls
    ]
    found: dict[str, Json] = {
        "conversation": conversation.id,
        "calls": [call_json(each) for each in calls],
        "judges": judges,
    }
    used = sum((each.usage for each in verdicts), conversation.consumed)
    noted = [] if conversation.calls or not conversation.usage else ["its calls were not noted one by one"]
    lines = [*noted, *call_lines(calls, verdicts)]
    total = sum((*(each.usage for each in calls), *(each.usage for each in verdicts)), Usage()) if calls else used
    heading = visible(f"conversation {conversation.id}: {usage_text(total)}")
    answer("calls", found, [heading, *(f"  {each}" for each in lines)], as_json=as_json)


def _as_json(costs: Costs, unconfirmed: int) -> dict[str, Json]:
    """Return the usage as JSON; `cost` is null if calls were made and none has a known price."""

    def each(usage: Usage) -> dict[str, Json]:
        return {**usage.model_dump(mode="json"), "cost": usage.known_cost}

    return {
        "batch": costs.batch,
        "total": each(costs.total),
        "roles": {name: each(usage) for name, usage in costs.roles.items()},
        "models": {name: each(usage) for name, usage in costs.models.items()},
        "conversations": {name: each(usage) for name, usage in costs.conversations.items()},
        "unkept": each(costs.unkept),
        "unconfirmed_calls": unconfirmed,
    }


def _lines(costs: Costs) -> Iterator[str]:
    yield visible(f"batch {costs.batch}: {usage_text(costs.total)}")
    for title, parts in (("by role", costs.roles), ("by model", costs.models)):
        if parts:
            yield title
            yield from (visible(f"  {name}: {usage_text(usage)}") for name, usage in parts.items())
    if costs.conversations:
        yield "by conversation, the dearest first"
        yield from (visible(f"  {name}: {usage_text(usage)}") for name, usage in dearest(costs.conversations))
        if costs.others:
            yield f"  and {costs.others:,} more: --json has all of them"
    if costs.unkept.calls:
        yield f"attempts that are not kept: {usage_text(costs.unkept)}"
