"""Runs what a batch plans and the store lacks, many conversations at once.

Python's search for cycles, made rare while many conversations are under way.
"""

import asyncio
import gc
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import conversation_id
from sparring.core.events import BatchFinished, BatchStarted, Event
from sparring.core.usage import Budget, Usage
from sparring.runner.conversation_worker import ConversationWorker, Slot
from sparring.runner.judge_worker import open_judge_worker
from sparring.runner.players import ResolvedPlayers
from sparring.runner.prompts import prompt_versions
from sparring.runner.spending import BatchSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.runner.verdicts import ConversationChecks, record_missing
from sparring.store.store import ConversationFilter, Store

_SOME = 100
"""Conversations of an earlier run that are looked at for what another may take."""


async def run(
    batch: Batch,
    players: ResolvedPlayers,
    store: Store,
    *,
    concurrency: int = 8,
    stop: asyncio.Event | None = None,
    room: asyncio.Semaphore | None = None,
    budget: Budget | None = None,
    retry_failed: bool = False,
) -> AsyncGenerator[Event]:
    """Run what is missing of `batch`, at most `concurrency` conversations at a time, and tell what happens.

    A conversation is in `store` before its `ConversationEnded` is told. Setting `stop` lets those under way finish
    and starts no others; closing the iterator cancels them, and none of them is stored. Reaching the `budget` is no
    failure: what was not run can be run later. Batches that share `room` play no more conversations at a time than it
    has places for, all together. With `retry_failed`, conversations that do not count are held again, and replaced.
    The judge is asked about each conversation as it ends, by the worker that held it, and before that about those that
    were stored without being judged.

    What replays a run that gave up, since no model would answer, ends as that did.
    """
    await store.create(batch, prompts=prompt_versions(players))
    attempts = await _failed(batch, store) if retry_failed else {}
    stored = await store.stored(batch.id)
    if stored:
        await record_missing(batch, store)
    lacking = [pair for pair in planned(batch) if _slot(pair) not in stored or _slot(pair) in attempts]
    lacking, gave_up = _recorded(lacking, players)
    spending = await _spending(budget or Budget(), batch, store)
    yield BatchStarted(batch=batch, stored=len(stored), again=len(attempts))

    journal = UsageLedger(batch.id, store, spending)
    work = ConversationWorker(
        batch.id,
        iter(lacking),
        players,
        store,
        spending,
        attempts,
        room,
        stop or asyncio.Event(),
        journal,
        ConversationChecks(batch, players.judge),
    )
    work.bench = await open_judge_worker(players.judge, batch, store, journal, work.telling.tell)
    unheard = len(stored) if work.bench.backlog else 0
    happens = work.telling.working(work.work, min(concurrency, max(len(lacking), unheard)))
    with spending.timed():
        async with journal, aclosing(happens) as happening:
            async for events in happening:
                for event in events:
                    yield event
    if gave_up:
        spending.give_up(gave_up)

    await record_missing(batch, store)
    stored = await store.stored(batch.id)
    cancelled = len(work.dropped - stored)
    not_run = batch.planned - len(stored) - cancelled
    yield BatchFinished(
        batch=batch.id, stored=len(stored), not_run=not_run, cancelled=cancelled, reason=spending.reason
    )


def planned(batch: Batch) -> list[tuple[Case, int]]:
    """Every (case, repeat) of a batch; first all cases once, so that a batch cut short has seen each of them."""
    pairs = [(case, repeat) for repeat in range(1, batch.repeats + 1) for case in batch.cases]
    selected = set(batch.selected)
    return [pair for pair in pairs if not selected or conversation_id(*_slot(pair)) in selected]


def _recorded(pairs: list[tuple[Case, int]], players: ResolvedPlayers) -> tuple[list[tuple[Case, int]], str]:
    """Those to hold, and why others are not: what is replayed begins no more than was begun when it was recorded."""
    if players.tape is None:
        return pairs, ""
    unbegun = [players.tape.unbegun(conversation_id(*_slot(pair))) for pair in pairs]
    return [pair for pair, why in zip(pairs, unbegun, strict=True) if not why], next(filter(None, unbegun), "")


def _slot(pair: tuple[Case, int]) -> Slot:
    return pair[0].id, pair[1]


async def _spending(budget: Budget, batch: Batch, store: Store) -> BatchSpending:
    if budget.cost is None and budget.tokens is None:
        return BatchSpending(budget)
    used, held = await store.consumed(batch.id)
    some = [sum(each.usage.values(), Usage()) async for each in store.conversations(batch.id, limit=_SOME)]
    if not some:
        return BatchSpending(budget, used, held)
    # What was broken off, or held again, is spent, and says nothing about what another will take.
    cost, tokens = sum(each.cost for each in some), sum(each.tokens for each in some)
    return BatchSpending(budget, used, held, each=(cost / len(some), tokens / len(some)))


async def _failed(batch: Batch, store: Store) -> dict[Slot, int]:
    """The conversations that do not count, and which attempt each of them was."""
    return {
        (each.case.id, each.repeat): each.timing.attempt if each.timing else 1
        async for each in store.conversations(batch.id, wanted=ConversationFilter(counts=False))
    }


_RARELY = (50_000, 20, 50)
_EACH = 400
"""More objects than a conversation of some turns is made of while it is under way."""


@contextmanager
def reduced_gc(under_way: int) -> Iterator[None]:
    """Look for cycles rarely inside this block, and not at all among what was there before.

    Conversations are values, which hold no cycles; there is nothing to find in thousands of them, again and again. So
    nobody looks before there is more than as many as are `under_way` hold.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_RARELY[0] + _EACH * under_way, *_RARELY[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
