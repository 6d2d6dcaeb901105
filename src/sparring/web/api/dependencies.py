"""What the routes work with: the store, the batches under way, and what the operator offers.

Answers that take a while: worked out once, beside everything else, and kept until something is new.

Room for those who listen to events.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sparring.app.background import BackgroundRunner
from sparring.app.demo import CHATBOT
from sparring.app.listing import ListingCache
from sparring.app.results import own_verdicts, rules_alone, with_said
from sparring.app.wiring import OFFLINE
from sparring.core.batch import Batch, BatchExecution
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Verdict
from sparring.reports import service_results
from sparring.reports.service_results import BatchStatus, Result
from sparring.settings import Settings
from sparring.store.store import ALL, ConversationFilter, Store
from sparring.web.api.errors import Refusal
from sparring.web.api.launch import AllowedChoices

T = TypeVar("T")

_KEPT = 20


@dataclass
class BackgroundCache:
    """What is being worked out, and what was; each in a thread and a loop of its own, so that pages stay quick."""

    _tasks: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    async def find(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]], *, patience: float) -> T | None:
        """What `work` comes to, or None if that takes longer than this; whoever asks again later is told."""
        task: asyncio.Task[T] | None = self._tasks.get(key)
        if task is None:
            self._forget()
            task = self._tasks[key] = asyncio.create_task(self._work(work))
        await asyncio.wait({task}, timeout=patience)
        if not task.done():
            return None
        if task.exception() is not None:
            del self._tasks[key]
        return task.result()

    async def apart(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `work` comes to, however long that takes; nothing of it is kept."""
        return await self._work(work)

    async def close(self) -> None:
        """Wait for nothing any more."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _work(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async with self._room:
            return await asyncio.to_thread(lambda: asyncio.run(work()))

    def _forget(self) -> None:
        done = [key for key, task in self._tasks.items() if task.done()]
        for key in done[: max(0, len(done) - _KEPT + 1)]:
            self._tasks.pop(key).exception()


@dataclass
class ListenerLimit:
    """So many may listen at once; nobody takes more than half of the room, so that there is some for others."""

    most: int
    _taken: Counter[str] = field(default_factory=Counter)

    @property
    def taken(self) -> int:
        """How many listen."""
        return self._taken.total()

    def check(self, caller: str) -> None:
        """A Refusal where there is no room for one listener more of this caller's."""
        if self.taken >= self.most:
            raise Refusal(429, f"{self.taken} are listening, and no more may", retry=30)
        if self._taken[caller] >= max(1, self.most // 2):
            raise Refusal(429, f"you are listening {self._taken[caller]} times, and no more is for one alone", retry=30)

    @contextmanager
    def sitting(self, caller: str) -> Iterator[None]:
        """Listen, inside the block."""
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]


_AT_A_TIME = 64
"""How many results are held at most while rules are checked over them."""

LEFT = "the program that played it ended without a word, as one does that is killed"


@dataclass
class AppState:
    """One service; `closing` is set when it stops, so that whoever listens for ever stops too."""

    store: Store
    background: BackgroundRunner
    offer: AllowedChoices
    settings: Settings
    clock: Clock
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    finding_out: BackgroundCache = field(default_factory=BackgroundCache)
    looking: ListingCache = field(init=False)
    seats: ListenerLimit = field(init=False)

    @property
    def demonstrates(self) -> bool:
        """Whether the operator offers what the demonstration is played with."""
        return CHATBOT in self.offer.chatbots and OFFLINE in self.offer.models

    def __post_init__(self) -> None:
        self.looking = ListingCache(self.store)
        self.seats = ListenerLimit(self.settings.serve.listeners)


async def status(store: Store, batch: Batch) -> BatchStatus:
    """How far a batch is."""
    job = await _job(store, batch.id)
    return service_results.batch_status(batch, job, await store.progress(batch.id))


async def _job(store: Store, batch: str) -> BatchExecution | None:
    """How a batch is played. Who was killed could not say that it stopped; a server goes on when it starts again."""
    job = await store.job(batch)
    while job is not None and job.under_way and not job.served and not await store.is_played(batch):
        before, job = job, await store.job(batch)
        if job == before:  # it did not come to its end, or begin anew, while the lock was looked at
            return job.model_copy(update={"cancelled": True, "stopped": LEFT})
    return job


async def results(
    store: Store,
    batch: Batch,
    *,
    wanted: ConversationFilter = ALL,
    after: str = "",
    limit: int | None = None,
    transcripts: bool = False,
) -> AsyncIterator[Result]:
    """What became of the scenarios of a batch, in their order; `batch` comes with its cases."""
    places = {case.id: index for index, case in enumerate(batch.cases)}
    some: list[tuple[Conversation, list[Verdict]]] = []
    async for each in with_said(batch, store, wanted=wanted, after=after, limit=limit):
        some.append(each)
        if len(some) == _AT_A_TIME or not batch.rules:
            for told in await _results(batch, places, some, transcripts):
                yield told
            some = []
    for told in await _results(batch, places, some, transcripts):
        yield told


async def _results(
    batch: Batch, places: Mapping[str, int], some: Sequence[tuple[Conversation, list[Verdict]]], transcripts: bool
) -> list[Result]:
    """Of several at once, since rules are made ready once for all of them."""
    ruled = await rules_alone(batch, [conversation for conversation, _ in some]) if some else {}
    return [
        service_results.result(
            places[conversation.case.id],
            conversation,
            [*await own_verdicts(batch, conversation, said), *ruled.get(conversation.id, ())],
            transcript=transcripts,
        )
        for conversation, said in some
    ]


async def result(
    batch: Batch, index: int, conversation: Conversation, said: list[Verdict], *, transcript: bool = False
) -> Result:
    """What became of one of them, given what judges said about it; the batch's rules are checked."""
    ruled = await rules_alone(batch, [conversation])
    verdicts = [*await own_verdicts(batch, conversation, said), *ruled.get(conversation.id, ())]
    return service_results.result(index, conversation, verdicts, transcript=transcript)


def place(batch: Batch, conversation: Conversation) -> int:
    """Which of the scenarios a conversation is of."""
    for index, case in enumerate(batch.cases):
        if case.id == conversation.case.id:
            return index
    raise InputError(f"batch {batch.id} has no case {conversation.case.id!r}")
