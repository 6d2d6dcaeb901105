"""Runs what a batch plans and the store lacks, many conversations at once."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from dataclasses import dataclass

from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.chance import repeat_seed
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import NotKept
from sparring.core.events import (
    BatchFinished,
    BatchStarted,
    ConversationEnded,
    ConversationStarted,
    Event,
    MessageSaid,
)
from sparring.core.message import Message
from sparring.reading.reader import Reader
from sparring.runner.refusing import check_refusals
from sparring.simulating import simulate
from sparring.store.store import Store
from sparring.users.scripted import Scripted
from sparring.users.user import User


@dataclass(frozen=True)
class Players:
    """Who plays: a case with a script is always played by the script, whoever the user is otherwise."""

    chatbot: Chatbot
    user: User
    reader: Reader
    clock: Clock

    def user_for(self, case: Case) -> User:
        return Scripted() if case.script else self.user


async def run(
    batch: Batch,
    players: Players,
    store: Store,
    *,
    concurrency: int = 8,
    stop: asyncio.Event | None = None,
    room: asyncio.Semaphore | None = None,
) -> AsyncIterator[Event]:
    """Run what is missing of `batch`, at most `concurrency` conversations at a time, and tell what happens.

    A conversation is in `store` before its `ConversationEnded` is told. Setting `stop` lets those under way finish
    and starts no others; closing the iterator cancels them, and none of them is stored. Batches that share `room` play
    no more conversations at a time than it has places for, all together. An InputError, before anything else, names
    what of the cases the chatbot cannot do.
    """
    check_refusals(batch.cases, players.chatbot)
    await store.create(batch)
    stored = await store.stored(batch.id)
    missing = [pair for pair in _planned(batch) if (pair[0].id, pair[1]) not in stored]
    yield BatchStarted(batch=batch, stored=len(stored))

    told: asyncio.Queue[Event | None] = asyncio.Queue()
    todo = iter(missing)
    workers = [
        asyncio.create_task(_work(batch.id, todo, players, store, told, stop or asyncio.Event(), room))
        for _ in range(min(concurrency, len(missing)))
    ]
    finished = asyncio.gather(*workers)
    finished.add_done_callback(lambda _: told.put_nowait(None))
    try:
        while (event := await told.get()) is not None:
            yield event
        await finished
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(finished, *workers, return_exceptions=True)
    now_stored = len(await store.stored(batch.id))
    yield BatchFinished(batch=batch.id, stored=now_stored, not_run=batch.planned - now_stored)


def _planned(batch: Batch) -> list[tuple[Case, int]]:
    """Every (case, repeat) of a batch; first all cases once, so that a batch cut short has seen each of them."""
    return [(case, repeat) for repeat in range(1, batch.repeats + 1) for case in batch.cases]


async def _work(
    batch: str,
    todo: Iterator[tuple[Case, int]],
    players: Players,
    store: Store,
    told: asyncio.Queue[Event | None],
    stop: asyncio.Event,
    room: asyncio.Semaphore | None,
) -> None:
    for case, repeat in todo:
        async with room or nullcontext():
            if stop.is_set():
                return
            await _play(batch, _seeded(case, repeat), repeat, players, store, told)


def _seeded(case: Case, repeat: int) -> Case:
    return case if repeat == 1 else case.model_copy(update={"seed": repeat_seed(case.seed, repeat)})


async def _play(
    batch: str, case: Case, repeat: int, players: Players, store: Store, told: asyncio.Queue[Event | None]
) -> None:
    id = case.id if repeat == 1 else f"{case.id}#{repeat}"

    def listen(said: Message) -> None:
        told.put_nowait(MessageSaid(conversation=id, message=said))

    told.put_nowait(ConversationStarted(conversation=id))
    conversation = await simulate(
        case,
        players.user_for(case),
        players.chatbot,
        reader=players.reader,
        clock=players.clock,
        repeat=repeat,
        listen=listen,
    )
    try:
        await store.add(batch, conversation)
    except NotKept as error:  # a chatbot said something that no file can hold: its failure, and nobody else's
        conversation = _without_words(conversation, str(error))
        await store.add(batch, conversation)
    told.put_nowait(ConversationEnded(conversation=conversation))


def _without_words(conversation: Conversation, reason: str) -> Conversation:
    """What can be kept of a conversation that cannot: that it was held, and why nothing of it is left."""
    return Conversation(
        case=conversation.case,
        repeat=conversation.repeat,
        ending=Ending.CHATBOT_FAILED,
        error=reason,
        usage=conversation.usage,
        timing=conversation.timing,
    )
