"""Reports of stored batches: the numbers, and files in any report format."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from sparring.app.computed import basis, complete, computed, keep_computed, with_cases
from sparring.app.listing import MEASURED
from sparring.app.results import (
    cause_history,
    compared_side,
    recorded_findings,
    result,
    result_rows,
    results,
    summarize,
    summarize_with,
)
from sparring.core.batch import Batch
from sparring.core.checks import Gate, Unit, require_possible
from sparring.core.errors import InputError, SparringError
from sparring.core.listing import ConversationQuery
from sparring.core.value import to_json
from sparring.reports.formats import BatchWriter, Listener, Report, ReportFormat, ResultRows, RowListener
from sparring.reports.overview import Overview, overview
from sparring.store.store import Store, ignore

if TYPE_CHECKING:
    from sparring.reports.gate import Gated


async def report(
    batch: Batch,
    store: Store,
    *,
    gate: Gate | None = None,
    unreadable: Callable[[str], None] = ignore,
    listeners: Sequence[Listener] = (),
    unit: Unit = "case",
) -> Report:
    """Return a batch in numbers, with its gate; show every conversation to the `listeners` in one pass."""
    if gate is None:
        return Report(batch, await summarize(batch, store, unreadable=unreadable, listeners=listeners, unit=unit))
    from sparring.app.compare import baseline_outcomes, pass_gate
    from sparring.reports.gate import Gated, GateTally

    require_possible(gate, batch.repeats, until_decided=batch.until is not None)
    await complete(batch, store)
    kind, hash = f"gate by {unit}", await basis(batch, store, to_json(gate), *await _others(gate, batch, store))
    if not listeners and (stored := await computed(batch, store, kind, hash, Gated)):
        return Report(batch, await summarize(batch, store, unreadable=unreadable, unit=unit), stored)
    whole, unread = await with_cases(batch, store) if gate.baseline or batch.until else batch, list[str]()
    summary, (side,) = await summarize_with(
        whole, store, [compared_side(gate.attempts)], unreadable=unread.append, listeners=listeners, unit=unit
    )
    side.findings = summary.findings
    for id in unread:
        unreadable(id)
    tally = GateTally(gate, side)
    tally.batch = whole
    if batch.until is not None and batch.until.baseline:
        tally.before = await baseline_outcomes(batch.until, whole.cases, store, gate.attempts)
    passed = await pass_gate(tally, summary, store, after=side if gate.baseline else None)
    if not unread:
        await keep_computed(batch, store, kind, hash, passed)
    return Report(batch, summary, passed)


async def gated(batch: Batch, store: Store, gate: Gate | None) -> "Gated | None":
    """Return the result of a gate for a batch; None without one, or if it does not apply to this batch."""
    with suppress(InputError):
        return (await report(batch, store, gate=gate)).gated if gate is not None else None
    return None


async def _others(gate: Gate, batch: Batch, store: Store) -> list[str]:
    """Return what the result of a gate depends on besides the batch: the calibration of its judge, and its
    baselines."""
    from sparring.app.calibrate import corrections, uncalibrated

    others = [await uncalibrated(batch, store), repr(await corrections(batch, store))] if gate.judge else []
    ids = (batch.until.baseline, *batch.until.nights) if batch.until else ()
    for which in filter(None, (gate.baseline, *ids)):
        with suppress(InputError):  # there is none, which the gate tells
            others.append(await store.state((await store.head(which)).id))
    return others


async def written_report(
    batch: Batch,
    store: Store,
    formats: Sequence[ReportFormat],
    *,
    now: datetime,
    gate: Gate | None = None,
    whole: bool = False,
    unreadable: Callable[[str], None] = ignore,
    unit: Unit = "case",
) -> tuple[Report, list[AsyncIterator[bytes]]]:
    """Return a batch in numbers, and its content in each format; read conversations once for all.

    A `whole` report has every conversation. Contents read the store while they are consumed.
    """
    started = [each.whole if whole and each.whole else each.batch for each in formats]
    batch = await with_cases(batch, store) if any(started) else batch
    writers = [start() if start else None for start in started]
    listeners = [writer.listener for writer in writers if writer and writer.listener]
    made = await report(batch, store, gate=gate, unreadable=unreadable, listeners=listeners, unit=unit)
    return made, [
        _text(writer, made, store)
        if writer
        else await result_content(batch, store, each, now=now, transcripts=each.transcripts)
        for each, writer in zip(formats, writers, strict=True)
    ]


async def result_content(
    batch: Batch, store: Store, format: ReportFormat, *, now: datetime, transcripts: bool
) -> AsyncIterator[bytes]:
    """Return the result rows of a batch in a format, streamed."""
    from sparring.app.results import batch_status, iter_results  # needed only for formats of result rows

    assert format.results is not None
    status = await batch_status(store, batch)
    rows = iter_results(store, batch, transcripts=transcripts)
    return format.results(ResultRows(batch.id, rows, prompt_version=status.prompt_version, exported=now))


async def _text(writer: BatchWriter, made: Report, store: Store) -> AsyncIterator[bytes]:
    if writer.rows is not None:
        await _show_rows(made, store, writer.rows)
    yield writer.text(made).encode(errors="replace")


async def _show_rows(made: Report, store: Store, page: RowListener) -> None:
    """Show a batch to a report by its rows, and then the conversations that it wants."""
    batch = made.batch
    async for row in result_rows(batch, store):
        page.count(row)
    async for conversation in store.conversations(batch.id, limit=MEASURED):
        page.measure(conversation)
    if page.whole:
        async for conversation, verdicts in results(batch, store):
            page.add(verdicts.reported(conversation))
        return
    for id in page.examples(made.summary.findings):
        with suppress(SparringError):  # it cannot be read, which the summary has told
            conversation = await store.conversation(batch.id, id)
            page.add((await result(batch, store, conversation)).reported(conversation))


async def stored_overview(batch: Batch, store: Store, *, finished: bool = True, gate: Gate | None = None) -> Overview:
    """Return a stored batch at a glance. An unfinished batch is not compared with others."""
    whole = await with_cases(batch, store)
    _, rows = await store.search(whole.id, ConversationQuery(), offset=0, limit=max(whole.planned, 1))
    findings = await recorded_findings(batch, store) or ()
    history = await cause_history(batch, store) if finished else None
    found = overview(whole, rows, findings, history, finished=finished)
    return replace(found, gated=await gated(batch, store, gate)) if finished else found
