"""Conversations in short, for lists: made of what is stored, when somebody looks.

Looks through batches for the pages: makes the briefs that are lacking, and measures for charts, once each.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sparring.app.results import own_verdicts, rules_alone
from sparring.core.batch import Batch, Progress
from sparring.core.conversation import Conversation
from sparring.core.errors import SparringError
from sparring.core.listing import ConversationRow, RowTotals
from sparring.core.message import Message
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.measures import Measures, Measuring
from sparring.reports.scores import speaking
from sparring.reports.summary import outcome_of
from sparring.store.store import Reader, Store

AT_A_TIME = 64
_LONGEST = 300


async def brief_all(batch: Batch, store: Store) -> None:
    """Make the briefs that are lacking; `batch` may come without its cases."""
    some: list[Conversation] = []
    async for conversation in store.unbriefed(batch.id):
        some.append(conversation)
        if len(some) == AT_A_TIME:
            await store.keep_briefs(batch.id, await briefs_of(batch, store, some))
            some = []
            await asyncio.sleep(0)
    if some:
        await store.keep_briefs(batch.id, await briefs_of(batch, store, some))


async def briefs_of(batch: Batch, store: Reader, conversations: Sequence[Conversation]) -> list[ConversationRow]:
    """The briefs of conversations, with what judges, people, expectations and rules about one conversation say."""
    return [brief(each, verdicts) for each, verdicts in await all_verdicts(batch, store, conversations)]


async def all_verdicts(
    batch: Batch, store: Reader, conversations: Sequence[Conversation]
) -> list[tuple[Conversation, list[Verdict]]]:
    """Everything that is found about conversations alone."""
    about = await rules_alone(batch, conversations)
    anybody = await anext(store.verdicts(batch.id), None) is not None
    found = []
    for each in conversations:
        said = [verdict async for verdict in store.verdicts(batch.id, conversation=each.id)] if anybody else []
        found.append((each, [*await own_verdicts(batch, each, said), *about.get(each.id, ())]))
    return found


def brief(conversation: Conversation, verdicts: Sequence[Verdict]) -> ConversationRow:
    """A conversation in short, given what was found about it. What a human says changes no outcome, as in summaries;
    their score is shown before a judge's.
    """
    outcome, reason = outcome_of(conversation, verdicts)
    usage = sum(conversation.usage.values(), Usage())
    counts = conversation.ending is not None and conversation.ending.counts
    scored = speaking(verdicts) if counts else None
    return ConversationRow(
        conversation=conversation.id,
        ending=conversation.ending,
        outcome=outcome,
        reason=reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…",
        score=scored.score if scored else None,
        turns=conversation.turns,
        seconds=conversation.timing.seconds if conversation.timing else None,
        tokens=usage.tokens,
        cost=usage.known_cost,
        failed=tuple(dict.fromkeys(v.check for v in verdicts if v.outcome is CheckOutcome.FAIL)),
        words="\n".join(map(_words, conversation.messages)).casefold(),
        attempt=conversation.timing.attempt if conversation.timing else 1,
    )


def _words(message: Message) -> str:
    return "\n".join([message.text, *(call.name for call in message.tool_calls)])


PATIENCE = 1.0
"""Seconds that a page waits for what is not looked at yet; then it says how far that is."""

MEASURED = 2_000
"""Conversations that charts are drawn from, the first of a batch."""

_KEPT = 50


@dataclass(frozen=True, slots=True)
class Seen:
    """What a page knows of a batch: how far it is, what came out, and whether that is of all that is stored."""

    progress: Progress
    totals: RowTotals

    @property
    def behind(self) -> int:
        return max(0, self.progress.stored - self.totals.conversations)


@dataclass
class ListingCache:
    """Looks through one batch at a time; `close` stops it."""

    store: Store
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _measures: dict[str, tuple[RowTotals, Measures]] = field(default_factory=dict)

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

    async def measures(self, batch: Batch, totals: RowTotals) -> Measures:
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
