"""What happens while several work at the same time, told in order to the one who listens."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine

from sparring.core.events import Event

_ARMFUL = 32
"""Workers that begin in one turn of the event loop."""


class EventQueue:
    """Events on their way to one listener: as many at once as there are, since a busy event loop has many."""

    def __init__(self) -> None:
        self._told: list[Event] = []
        self._over = False
        self._news: asyncio.Future[None] | None = None

    def tell(self, event: Event) -> None:
        self._told.append(event)
        if self._news is not None:
            self._wake(self._news)

    def end(self) -> None:
        """Nothing more will happen."""
        self._over = True
        if self._news is not None:
            self._wake(self._news)

    async def news(self) -> list[Event]:
        """What happened since the last time, as soon as there is anything; nothing once all is over and told."""
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
        """What happens while so many workers do this `work`; they are gone when this ends, however it does."""
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
    """Begin the `tasks` of so many workers, and wait for them. What the first ask for is on its way, and may even have
    come, when the last of thousands begin."""
    for number in range(1, workers + 1):
        tasks.append(asyncio.create_task(work()))
        if number % _ARMFUL == 0:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks)
