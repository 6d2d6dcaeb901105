"""`sparring compare A B`: changes from one batch to another. `sparring gate`: release thresholds.

`sparring trend NAME`: the batches of a name over time.
"""

from typing import Annotated

import typer

from sparring.app.compare import accept, compare_stored, contender
from sparring.app.config import AppConfig
from sparring.app.listing import trend, trend_csv, trend_text
from sparring.app.report import report
from sparring.cli import options
from sparring.cli.arguments import batch_called, opened, warn_of_missing_figures
from sparring.cli.console import answer, notify, unreadable
from sparring.cli.process import FAILED, INCONCLUSIVE, PASSED, UNDECIDED
from sparring.core.checks import Attempts, Gate
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.comparing_batches import EXAMPLES, compare
from sparring.reports.comparison import Comparison
from sparring.reports.comparison_text import comparison_text, margin_line, side_by_side
from sparring.reports.gate import gate_json, gate_text
from sparring.reports.json_report import comparison_json


@options.configured("store")
async def compare_batches(
    before: Annotated[str, typer.Argument(metavar="BEFORE")],
    after: Annotated[str, typer.Argument(metavar="AFTER")],
    show: Annotated[int, typer.Option("--show", min=0, metavar="N")] = 0,
    attempts: Annotated[Attempts, typer.Option("--attempts")] = "first",
    margin: Annotated[float | None, typer.Option("--margin", min=0, max=1)] = None,
    confirm: Annotated[int | None, typer.Option("--confirm", min=4, metavar="N")] = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Compare two batches with a significance test.

    Exit code: 1 if the second is worse, 3 if no case was decided in both, 4 if a fall of --margin is not excluded.
    """
    comparison, shown = await _compare(config, before, after, show, attempts, confirm)
    lines = [*comparison_text(comparison), *shown, *([] if margin is None else [margin_line(comparison, margin)])]
    answer("comparison", comparison_json(comparison), lines, as_json=as_json)
    return _exit_code(comparison, margin)


async def _compare(
    config: AppConfig, before: str, after: str, show: int, attempts: Attempts, confirm: int | None
) -> tuple[Comparison, list[str]]:
    async with opened(config, before, head=True) as (one, store):
        other, most = await batch_called(after, store, head=True), max(EXAMPLES, show)
        for each in (one, other):
            await warn_of_missing_figures(each, store)
        comparison = await compare_stored(one, other, store, attempts=attempts, examples=most, unreadable=unreadable)
        if confirm:
            was, now = [await contender(each, store, attempts=attempts) for each in (one, other)]
            from sparring.app.confirm import cost_of_replays, replay, violations  # plays batches

            violated = violations(comparison, now)
            notify(cost_of_replays(violated, was, now, confirm))
            replayed = await replay(violated, (was, now), store, config, confirm)
            comparison = compare(was, now, examples=most, replayed=replayed)
        lines: list[str] = []
        for pair in comparison.worse[:show]:
            earlier = await store.conversation(one.id, pair.earlier or pair.conversation)
            later = await store.conversation(other.id, pair.conversation)
            lines += ["", *side_by_side(earlier, later)]
        return comparison, lines


def _exit_code(comparison: Comparison, margin: float | None) -> int:
    if comparison.got_worse:
        return FAILED
    if not comparison.changes.compared:
        return UNDECIDED
    return PASSED if margin is None or comparison.excludes(margin) else INCONCLUSIVE


@options.configured("store")
async def gate(
    which: options.Batch = "latest",
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Check a batch against the thresholds in sparring.yaml.

    Exit codes: 0 passed, 1 failed, 4 inconclusive.
    """
    async with opened(config, which, head=True) as (batch, store):
        await warn_of_missing_figures(batch, store)
        made = await report(batch, store, gate=config.gate or Gate(), unreadable=unreadable)
    assert made.gated is not None, "there is a gate"
    answer("gate", gate_json(made.gated), gate_text(made.gated), as_json=as_json)
    return made.gated.exit


@options.configured("store")
async def accept_batch(
    which: Annotated[str, typer.Argument(metavar="BATCH")],
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Accept a batch as the baseline of the series with its name.

    A gate with this name as `baseline` compares later batches with the first nights from here on.
    """
    async with opened(config, which) as (batch, store):
        await accept(batch, store)
    line = visible(f"the baseline of {batch.name or batch.id} begins with {batch.id}")
    answer("accepted", {"batch": batch.id, "name": batch.name}, [line], as_json=as_json)
    return PASSED


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
