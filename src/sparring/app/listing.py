"""Batches as a server shows them: progress and totals of their rows, and figures for charts."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from sparring.app.computed import complete
from sparring.core.batch import Batch, Progress
from sparring.core.checks import Attempts
from sparring.core.errors import SparringError
from sparring.core.listing import ConversationQuery, RowTotals
from sparring.reports.batch_statistics import BatchStatistics, batch_statistics
from sparring.reports.case_rows import CaseRows
from sparring.reports.measures import Measures, Measuring
from sparring.store.store import Store

MAX_WAIT = 1.0
"""Seconds that a page waits for the completion of a batch before it shows the progress."""

MEASURED = 2_000
"""Conversations that charts are drawn from: the first of a batch."""

_KEPT = 50


@dataclass(frozen=True, slots=True)
class Seen:
    """The progress of a batch, and totals of its conversation rows."""

    progress: Progress
    totals: RowTotals

    @property
    def behind(self) -> int:
        """The number of stored conversations without a row, as in batches of earlier versions."""
        return max(0, self.progress.stored - self.totals.conversations)


async def stored_statistics(batch: Batch, store: Store) -> BatchStatistics:
    """Return the statistics of a batch from its rows, without reading a conversation."""
    return batch_statistics(await stored_rows(batch, store))


async def stored_rows(batch: Batch, store: Store, attempts: Attempts = "first") -> CaseRows:
    """Return the outcomes of a batch from its rows, without reading a conversation."""
    whole = await store.batch(batch.id)
    rows = CaseRows(whole, attempts)
    _, found = await store.search(batch.id, ConversationQuery(), offset=0, limit=max(whole.planned, 1))
    for row in found:
        counted = row.counted if attempts == "first" else row.decision
        rows.count(row.conversation, counted, row.decision, row.attempt)
    return rows


@dataclass
class BatchListing:
    """Reads the data of lists and charts, and completes batches of earlier versions one at a time."""

    store: Store
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _measures: dict[str, tuple[RowTotals, Measures]] = field(default_factory=dict)

    async def look(self, batch: Batch, *, max_wait: float = MAX_WAIT) -> Seen:
        """Return the row data of a batch. If conversations have no row, complete it first, for a limited time."""
        seen = await self._seen(batch)
        if not seen.behind:
            return seen
        await self.complete(batch, max_wait=max_wait)
        return await self._seen(batch)

    async def complete(self, batch: Batch, *, max_wait: float = MAX_WAIT) -> None:
        """Complete a batch in a task of its own, and wait no longer than this."""
        if batch.id not in self._tasks:
            task = self._tasks[batch.id] = asyncio.create_task(self._complete(batch))
            task.add_done_callback(lambda _: self._tasks.pop(batch.id, None))
        await asyncio.wait({self._tasks[batch.id]}, timeout=max_wait)

    async def measures(self, batch: Batch, totals: RowTotals) -> Measures:
        """Return figures of the first conversations of a batch; cache them until something is new."""
        kept = self._measures.get(batch.id)
        if kept is None or kept[0] != totals:
            if len(self._measures) >= _KEPT:
                self._measures.pop(next(iter(self._measures)))
            kept = self._measures[batch.id] = totals, await self._measure(batch)
        return kept[1]

    async def close(self) -> None:
        """Stop completing."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _measure(self, batch: Batch) -> Measures:
        measuring = Measuring()
        async for conversation in self.store.conversations(batch.id, limit=MEASURED):
            measuring.add(conversation)
        return measuring.measures()

    async def _seen(self, batch: Batch) -> Seen:
        totals = await self.store.totals(batch.id)
        return Seen(await self.store.progress(batch.id), totals)

    async def _complete(self, batch: Batch) -> None:
        async with self._room:
            with suppress(SparringError):  # deleted meanwhile, or not writable: the next look reports it
                await complete(batch, self.store)
