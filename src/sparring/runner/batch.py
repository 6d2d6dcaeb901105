"""Runs the planned conversations of a batch that the store lacks, many at once, and yields events."""

import asyncio
import gc
from collections.abc import AsyncGenerator, Iterator, Set
from contextlib import aclosing, contextmanager

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import conversation_id
from sparring.core.events import BatchFinished, BatchStarted, Event
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.usage import Budget
from sparring.llm.slots import ConversationSlots
from sparring.runner.conversation_worker import ConversationWorker, Slot
from sparring.runner.judge_worker import open_judge_worker
from sparring.runner.players import NullBots, ResolvedPlayers, prompt_versions
from sparring.runner.spending import BatchSpending
from sparring.runner.usage_ledger import UsageLedger
from sparring.runner.verdicts import ConversationChecks, record_missing
from sparring.store.store import ConversationFilter, Store

_SAMPLE = 100
"""Stored conversations whose usage predicts that of the next ones."""

_SPARE = 100
"""Most conversations that run in the lent slots of others."""


async def run(
    batch: Batch,
    players: ResolvedPlayers,
    store: Store,
    *,
    concurrency: int = 8,
    stop: asyncio.Event | None = None,
    slots: ConversationSlots | None = None,
    budget: Budget | None = None,
    retry_failed: bool = False,
    retry_void: bool = False,
    null_bots: NullBots | None = None,
) -> AsyncGenerator[Event]:
    """Run the missing conversations of `batch`, at most `concurrency` at a time, and yield events.

    A conversation is in `store` before its `ConversationEnded` is yielded. Setting `stop` lets running conversations
    finish and starts no others. Closing the iterator cancels them, and none of them is stored. A batch that reaches its
    `budget` can be resumed later. Batches that share `slots` together run no more conversations than there are. With
    `retry_failed`, conversations that do not count are run again and replaced; with `retry_void`, those that are void
    because the user or Sparring's side failed, if they were run once.

    Stored conversations without verdicts are judged first, the others as they end. The replay of a run that stopped
    because its model stopped answering stops at the same place.
    """
    await store.create(batch, prompts=prompt_versions(players, (*batch.rubrics, *batch.case_rubrics)))
    attempts = await _failed(batch, store, only_void=not retry_failed) if retry_failed or retry_void else {}
    stored = await store.stored(batch.id)
    if stored:
        await record_missing(batch, store, null_bots)
    missing = [pair for pair in planned(batch) if _slot(pair) not in stored or _slot(pair) in attempts]
    missing, gave_up = _recorded(missing, players)
    spending = await _spending(budget or Budget(), batch, store)
    yield BatchStarted(batch=batch, stored=len(stored), again=len(attempts))

    ledger = UsageLedger(batch.id, store, spending)
    worker = ConversationWorker(
        batch.id,
        iter(missing),
        players,
        store,
        spending,
        attempts,
        slots or ConversationSlots(concurrency),
        stop or asyncio.Event(),
        ledger,
        ConversationChecks(batch, players.judge, null_bots),
    )
    worker.judge_worker = await open_judge_worker(players.judge, batch, store, ledger, worker.events.publish)
    unjudged = len(stored) if worker.judge_worker.backlog else 0
    spare = min(concurrency, _SPARE) if concurrency > 1 else 0  # a single slot is never lent
    groups = worker.events.run_workers(worker.work, min(concurrency + spare, max(len(missing), unjudged)))
    with spending.timed():
        async with ledger, aclosing(groups):
            async for events in groups:
                for event in events:
                    yield event
    if gave_up:
        spending.give_up(gave_up)

    await record_missing(batch, store, null_bots)
    yield _finished(batch, await store.stored(batch.id), worker.dropped, spending)


def _finished(
    batch: Batch, stored: Set[tuple[str, int]], dropped: Set[tuple[str, int]], spending: BatchSpending
) -> BatchFinished:
    """Return the event of the end of a batch, of which these conversations are stored."""
    cancelled = len(dropped - stored)
    not_run = batch.planned - len(stored) - cancelled
    return BatchFinished(
        batch=batch.id,
        stored=len(stored),
        not_run=not_run,
        cancelled=cancelled,
        reason=spending.reason,
        failed=spending.spent in ("chatbot", "calls") and not_run + cancelled > 0,
    )


def planned(batch: Batch) -> list[tuple[Case, int]]:
    """Return every (case, repeat) of a batch: all cases once, then again, so that each is tried early."""
    pairs = [(case, repeat) for repeat in range(1, batch.repeats + 1) for case in batch.cases]
    selected = set(batch.selected)
    return [pair for pair in pairs if not selected or conversation_id(*_slot(pair)) in selected]


def _recorded(pairs: list[tuple[Case, int]], players: ResolvedPlayers) -> tuple[list[tuple[Case, int]], str]:
    """Return the pairs to run, and why others are not: a replay starts what the recording started."""
    if players.recorder is None:
        return pairs, ""
    unbegun = [players.recorder.unbegun(conversation_id(*_slot(pair))) for pair in pairs]
    return [pair for pair, why in zip(pairs, unbegun, strict=True) if not why], next(filter(None, unbegun), "")


def _slot(pair: tuple[Case, int]) -> Slot:
    return pair[0].id, pair[1]


async def _spending(budget: Budget, batch: Batch, store: Store) -> BatchSpending:
    if budget.cost is None and budget.tokens is None:
        return BatchSpending(budget)
    used, earlier = await store.consumed(batch.id)
    some = [each.consumed async for each in store.conversations(batch.id, limit=_SAMPLE)]
    if not some:
        return BatchSpending(budget, used, earlier)
    # Interrupted and retried conversations are spent, too, but do not predict the usage of the next ones.
    cost, tokens = sum(each.cost for each in some), sum(each.tokens for each in some)
    return BatchSpending(budget, used, earlier, each=(cost / len(some), tokens / len(some)))


async def _failed(batch: Batch, store: Store, *, only_void: bool) -> dict[Slot, int]:
    """Return the attempts of each conversation that does not count, or of void ones with one attempt."""
    slots = {conversation_id(*_slot(pair)): _slot(pair) for pair in planned(batch)}
    wanted = ConversationQuery(outcomes=(Outcome.VOID,))
    _, rows = await store.search(batch.id, wanted, offset=0, limit=max(len(slots), 1))
    void = {slots[row.conversation]: row.attempt for row in rows if row.conversation in slots}
    if only_void:
        return {slot: attempt for slot, attempt in void.items() if attempt == 1}
    return void | {
        (each.case.id, each.repeat): each.timing.attempt if each.timing else 1
        async for each in store.conversations(batch.id, wanted=ConversationFilter(counts=False))
    }


_THRESHOLDS = (50_000, 20, 50)
_OBJECTS = 400
"""An upper bound for the objects of a running conversation."""


@contextmanager
def reduced_gc(running: int) -> Iterator[None]:
    """Run the garbage collector rarely inside this block, and never over objects that exist already.

    Conversations are values without cycles, so collections would scan thousands of them in vain. A collection starts
    only once there are more objects than `running` conversations hold.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_THRESHOLDS[0] + _OBJECTS * running, *_THRESHOLDS[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
