"""`sparring coverage BATCH...`: what no conversation has tested. `suggest BATCH`: scenarios for it."""

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.coverage import coverage_json, coverage_of, suggested, suggestions_json
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.arguments import batch_called, new_scenario_file, opened
from sparring.cli.console import answer
from sparring.cli.process import PASSED
from sparring.core.text import visible
from sparring.coverage.suggestions import SuggestedScenario, file_of
from sparring.coverage.tables import CoverageTable


@options.configured("seed", "store")
async def coverage_batches(
    which: Annotated[list[str] | None, typer.Argument(metavar="BATCH...")] = None,
    sources: Annotated[list[Path] | None, typer.Option("--sources", metavar="FILE")] = None,
    tools: Annotated[Path | None, typer.Option("--tools", metavar="FILE.json")] = None,
    ways: Annotated[int, typer.Option("--ways", min=1, max=4)] = 2,
    show: Annotated[int, typer.Option("--show", min=0, metavar="N")] = 5,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """List what no conversation has tested: cases, goals, values, pairs, tools, outputs, checks, moments.

    Void conversations do not count. There is no total: the tables measure different things.
    """
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(config, must_exist=True))
        batches = [await batch_called(each, store) for each in which or ["latest"]]
        tables = await coverage_of(batches, store, config, sources=sources or (), tools=tools, ways=ways)
    answer("coverage", coverage_json(batches, tables), _lines(tables, show), as_json=as_json)
    return PASSED


def _lines(tables: Sequence[CoverageTable], show: int) -> Iterator[str]:
    for table in tables:
        yield f"{table.name:<14} {table.covered:,} of {table.of:,}"
        yield from (f"  - {visible(gap.what)}" for gap in table.gaps[:show])
        if len(table.gaps) > show:
            yield f"  ({len(table.gaps) - show:,} more: --show {len(table.gaps)})"
        yield from (f"  not measured: {visible(each)}" for each in table.unmeasured)


@options.configured("store")
async def suggest_scenarios(
    which: options.Batch,
    most: Annotated[int, typer.Option("--max", min=1, max=200, metavar="N")] = 10,
    write: Annotated[Path | None, typer.Option("--write", metavar="FILE.yml")] = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Suggest the fewest scenarios that close most gaps in the tests of a batch.

    They contain values and pairs of values that were never answered, goals never asked, tools that fail, and a change
    of mind. No chatbot is called.
    """
    if write:
        new_scenario_file(write)
    async with opened(config, which) as (batch, store):
        found = await suggested(batch, store, config, most=most)
    text = file_of(found) if found else ""
    if write and text:
        write.write_text(text, encoding="utf-8")
    body = suggestions_json(batch, found) | {"written": str(write) if write and text else ""}
    answer("suggestions", body, _suggested(found, text, write), as_json=as_json)
    return PASSED


_CLOSED = 3
"""Gaps to name of each suggestion."""


def _suggested(found: Sequence[SuggestedScenario], text: str, write: Path | None) -> Iterator[str]:
    if not found:
        yield "no scenario can be written that touches anything new"
        return
    for each in found:
        more = f" (and {len(each.closes) - _CLOSED} more)" if len(each.closes) > _CLOSED else ""
        yield f"{each.scenario['name']}: {visible('; '.join(each.closes[:_CLOSED]))}{more}"
    yield from [f"written: {write}"] if write else ["", *text.splitlines()]
