"""Plays a part of a batch, beside other parts of it in the same process."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.events import Event
from sparring.core.verdict import CheckOutcome
from sparring.llm.slots import ConversationSlots
from sparring.runner.conversation_worker import ConversationWorker
from sparring.runner.judge_worker import JudgeWorker
from sparring.runner.players import ResolvedPlayers
from sparring.runner.spending import BatchSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.runner.verdicts import ConversationChecks
from sparring.store.store import Store


@dataclass(frozen=True)
class Playing:
    """State that the shards of one batch share in a process; the batch comes without its cases."""

    batch: Batch
    players: ResolvedPlayers
    store: Store
    spending: BatchSpending
    ledger: UsageLedger
    checks: ConversationChecks
    slots: ConversationSlots
    stop: asyncio.Event


async def play_shard(
    playing: Playing, todo: Sequence[tuple[Case, int]], stored: Sequence[Conversation]
) -> AsyncGenerator[Event]:
    """Run conversations in free slots, judge `stored` ones that lack verdicts, and yield events."""
    batch, store, judge = playing.batch, playing.store, playing.players.judge
    worker = ConversationWorker(
        batch.id,
        iter(todo),
        playing.players,
        store,
        playing.spending,
        {},
        playing.slots,
        playing.stop,
        playing.ledger,
        playing.checks,
    )
    worker.judge_worker = JudgeWorker(judge, batch, store, playing.ledger, worker.events.publish)
    if judge is not None and not judge.deterministic and stored:
        worker.judge_worker.backlog = _each(stored)
        for each in stored:
            async for verdict in store.verdicts(batch.id, conversation=each.id):
                if verdict.outcome is not CheckOutcome.ERROR:
                    place = verdict.judge, each.case.id, each.repeat, verdict.rubric
                    worker.judge_worker.decided[place] = worker.judge_worker.decided.get(place, 0) + 1
    async with aclosing(worker.events.run_workers(worker.work, len(todo) or 1)) as groups:
        async for events in groups:
            for event in events:
                yield event


async def _each(conversations: Sequence[Conversation]) -> AsyncGenerator[Conversation]:
    for conversation in conversations:
        yield conversation
