"""What the routes work with: the store, the batches under way, and what the operator offers.

Answers that take a while: worked out once, beside everything else, and kept until something is new.

Room for those who listen to events.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sparring.app.background import BackgroundRunner
from sparring.app.demo import CHATBOT
from sparring.app.listing import ListingCache
from sparring.app.wiring import OFFLINE
from sparring.core.clock import Clock
from sparring.settings import Settings
from sparring.store.store import Store
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
