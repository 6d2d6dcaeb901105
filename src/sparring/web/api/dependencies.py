"""Shared state of the routes: store, running batches, allowed choices, caches, stream limit.

Also projects stored batches and conversations onto the response schemas. Routes live in their own modules.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sparring.app.background import BackgroundRunner
from sparring.app.config import AppConfig
from sparring.app.demo import CHATBOT
from sparring.app.launch import BatchPlan
from sparring.app.listing import BatchListing
from sparring.app.models import OFFLINE
from sparring.app.wiring import chosen_judge
from sparring.core.clock import Clock
from sparring.settings import Serve
from sparring.store.store import Store
from sparring.web.api.errors import RequestError
from sparring.web.api.launch import AllowedChoices, parse_launch, plain_judges

T = TypeVar("T")

_MAX_RESULTS = 200


@dataclass
class BackgroundCache:
    """Cache of slow computations. Each runs in its own thread and event loop, so pages stay responsive."""

    _tasks: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    async def get(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]], *, max_wait: float) -> T | None:
        """Return the result of `work`, or None if it takes longer than `max_wait` seconds.

        The work continues; a later call with the same key returns its result.
        """
        task: asyncio.Task[T] | None = self._tasks.get(key)
        if task is None:
            self._evict()
            task = self._tasks[key] = asyncio.create_task(self.run_uncached(work))
        await asyncio.wait({task}, timeout=max_wait)
        if not task.done():
            return None
        if task.exception() is not None:
            del self._tasks[key]
        return task.result()

    async def close(self) -> None:
        """Cancel all running computations."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def run_uncached(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run `work` in the background thread, without a time limit and without caching the result."""
        async with self._room:
            return await asyncio.to_thread(lambda: asyncio.run(work()))

    def _evict(self) -> None:
        done = [key for key, task in self._tasks.items() if task.done()]
        for key in done[: max(0, len(done) - _MAX_RESULTS + 1)]:
            self._tasks.pop(key).exception()


@dataclass
class ListenerLimit:
    """Limit of concurrent event streams. A single caller may use at most half of them."""

    most: int
    _taken: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """Number of open streams."""
        return self._taken.total()

    def check(self, caller: str) -> None:
        """Raise `RequestError` if this caller may not open another stream."""
        if self.count >= self.most:
            raise RequestError(429, f"limit reached: {self.count} event streams are open", retry=30)
        if self._taken[caller] >= max(1, self.most // 2):
            raise RequestError(429, f"limit reached: you have {self._taken[caller]} event streams open", retry=30)

    @contextmanager
    def acquire(self, caller: str) -> Iterator[None]:
        """Count a stream as open inside the block."""
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]


@dataclass
class AppState:
    """State of one server. `closing` is set on shutdown, to end open event streams."""

    store: Store
    background: BackgroundRunner
    allowed: AllowedChoices
    config: AppConfig
    serve: Serve
    clock: Clock
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    background_cache: BackgroundCache = field(default_factory=BackgroundCache)
    parsing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    listings: BatchListing = field(init=False)
    listener_limit: ListenerLimit = field(init=False)

    @property
    def offers_demo(self) -> bool:
        """True if the chatbot and the model of the demo batch are allowed."""
        return CHATBOT in self.allowed.chatbots and OFFLINE in self.allowed.models

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges that clients may choose; the first one judges if they choose none."""
        default = chosen_judge(self.config.with_players(model=self.allowed.models[0]))
        models = (each for each in self.allowed.models if each != OFFLINE)
        return tuple(dict.fromkeys((default, *plain_judges(), *models)))

    async def launch_request(self, body: bytes) -> tuple[BatchPlan, AppConfig]:
        """Return the plan of a launch request. One at a time is parsed: a large one takes a gigabyte."""
        most = self.serve.max_conversations
        async with self.parsing:
            return await parse_launch(body, self.allowed, self.config, most, self.clock, self.store)

    def __post_init__(self) -> None:
        self.listings = BatchListing(self.store)
        self.listener_limit = ListenerLimit(self.serve.max_listeners)
