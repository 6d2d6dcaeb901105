"""Events of simultaneous workers, in order, for one subscriber."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine

from sparring.core.events import Event

_ARMFUL = 32
"""Workers that begin in one turn of the event loop."""


class EventQueue:
    """Events on their way to one subscriber, delivered in groups because a busy event loop has many."""

    def __init__(self) -> None:
        self._told: list[Event] = []
        self._over = False
        self._news: asyncio.Future[None] | None = None

    def tell(self, event: Event) -> None:
        self._told.append(event)
        if self._news is not None:
            self._wake(self._news)

    def end(self) -> None:
        """Deliver no further events."""
        self._over = True
        if self._news is not None:
            self._wake(self._news)

    async def news(self) -> list[Event]:
        """Return the events since the last call as soon as there are any; nothing at the end."""
        if not self._told and not self._over:
            self._news = asyncio.get_running_loop().create_future()
            try:
                await self._news
            finally:
                self._news = None
        told, self._told = self._told, []
        return told

    async def working(
        self, work: Callable[[], Coroutine[None, None, None]], workers: int
    ) -> AsyncGenerator[list[Event]]:
        """Yield events while workers run `work`. The workers are cancelled when this ends."""
        tasks: list[asyncio.Task[None]] = []
        finished = asyncio.create_task(_at_work(work, workers, tasks))
        finished.add_done_callback(lambda _: self.end())
        try:
            while events := await self.news():
                yield events
            await finished
        finally:
            for task in (finished, *tasks):
                task.cancel()
            await asyncio.gather(finished, *tasks, return_exceptions=True)

    @staticmethod
    def _wake(listener: asyncio.Future[None]) -> None:
        if not listener.done():
            listener.set_result(None)


async def _at_work(
    work: Callable[[], Coroutine[None, None, None]], workers: int, tasks: list[asyncio.Task[None]]
) -> None:
    """Start workers in groups and wait for them.

    Requests of the first workers are sent, and may be answered, before the last of thousands starts.
    """
    for number in range(1, workers + 1):
        tasks.append(asyncio.create_task(work()))
        if number % _ARMFUL == 0:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks)
