"""Events of simultaneous workers, in order, for one subscriber."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine

from sparring.core.events import Event

_GROUP = 32
"""Workers that start in one turn of the event loop."""


class EventQueue:
    """Events on their way to one subscriber, delivered in groups because a busy event loop has many."""

    def __init__(self) -> None:
        self._pending: list[Event] = []
        self._closed = False
        self._arrival: asyncio.Future[None] | None = None

    def publish(self, event: Event) -> None:
        """Add an event."""
        self._pending.append(event)
        if self._arrival is not None:
            self._wake(self._arrival)

    def close(self) -> None:
        """Deliver no further events."""
        self._closed = True
        if self._arrival is not None:
            self._wake(self._arrival)

    async def next_events(self) -> list[Event]:
        """Return the events since the last call as soon as there are any; nothing at the end."""
        if not self._pending and not self._closed:
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        events, self._pending = self._pending, []
        return events

    async def run_workers(
        self, work: Callable[[], Coroutine[None, None, None]], workers: int
    ) -> AsyncGenerator[list[Event]]:
        """Yield events while workers run `work`. The workers are cancelled when this ends."""
        tasks: list[asyncio.Task[None]] = []
        finished = asyncio.create_task(_start(work, workers, tasks))
        finished.add_done_callback(lambda _: self.close())
        try:
            while events := await self.next_events():
                yield events
            await finished
        finally:
            for task in (finished, *tasks):
                task.cancel()
            await asyncio.gather(finished, *tasks, return_exceptions=True)

    @staticmethod
    def _wake(waiter: asyncio.Future[None]) -> None:
        if not waiter.done():
            waiter.set_result(None)


async def _start(
    work: Callable[[], Coroutine[None, None, None]], workers: int, tasks: list[asyncio.Task[None]]
) -> None:
    """Start workers in groups and wait for them.

    Requests of the first workers are sent, and may be answered, before the last of thousands starts.
    """
    for number in range(1, workers + 1):
        tasks.append(asyncio.create_task(work()))
        if number % _GROUP == 0:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks)
