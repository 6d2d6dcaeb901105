"""Looks through batches for the pages: makes the briefs that are lacking, and measures for charts, once each."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from sparring.core.batch import Batch, Progress
from sparring.core.conversation import Conversation
from sparring.core.errors import SparringError
from sparring.core.listing import Totals
from sparring.reports.measures import Measures, Measuring
from sparring.reports.summary import outcome_of
from sparring.runner.briefing import AT_A_TIME, all_verdicts, brief_all
from sparring.store.store import Store

PATIENCE = 1.0
"""Seconds that a page waits for what is not looked at yet; then it says how far that is."""

MEASURED = 2_000
"""Conversations that charts are drawn from, the first of a batch."""

_KEPT = 50


@dataclass(frozen=True, slots=True)
class Seen:
    """What a page knows of a batch: how far it is, what came out, and whether that is of all that is stored."""

    progress: Progress
    totals: Totals

    @property
    def behind(self) -> int:
        return max(0, self.progress.stored - self.totals.conversations)


@dataclass
class Looking:
    """Looks through one batch at a time; `close` stops it."""

    store: Store
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _measures: dict[str, tuple[Totals, Measures]] = field(default_factory=dict)

    async def look(self, batch: Batch, *, patience: float = PATIENCE) -> Seen:
        """What is known of a batch, after looking at what is new for a while."""
        seen = await self._seen(batch)
        if not seen.behind:
            return seen
        if batch.id not in self._tasks:
            task = self._tasks[batch.id] = asyncio.create_task(self._look(batch))
            task.add_done_callback(lambda _: self._tasks.pop(batch.id, None))
        await asyncio.wait({self._tasks[batch.id]}, timeout=patience)
        return await self._seen(batch)

    async def measures(self, batch: Batch, totals: Totals) -> Measures:
        """Figures of the first conversations of a batch; kept as long as nothing is new."""
        kept = self._measures.get(batch.id)
        if kept is None or kept[0] != totals:
            measuring = Measuring()
            some = []
            async for conversation in self.store.conversations(batch.id, limit=MEASURED):
                some.append(conversation)
                if len(some) == AT_A_TIME:
                    await self._measure(measuring, batch, some)
                    some = []
            await self._measure(measuring, batch, some)
            if len(self._measures) >= _KEPT:
                self._measures.pop(next(iter(self._measures)))
            kept = self._measures[batch.id] = totals, measuring.measures()
        return kept[1]

    async def close(self) -> None:
        """Stop looking."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _measure(self, measuring: Measuring, batch: Batch, some: list[Conversation]) -> None:
        for conversation, verdicts in await all_verdicts(batch, self.store, some):
            measuring.add(conversation, outcome_of(conversation, verdicts)[0])

    async def _seen(self, batch: Batch) -> Seen:
        totals = await self.store.totals(batch.id)
        return Seen(await self.store.progress(batch.id), totals)

    async def _look(self, batch: Batch) -> None:
        async with self._room:
            with suppress(SparringError):  # it was deleted meanwhile, or cannot be written: whoever asks next is told
                await brief_all(batch, self.store)
