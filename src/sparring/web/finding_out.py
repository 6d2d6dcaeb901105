"""Answers that take a while: worked out once, beside everything else, and kept until something is new."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

_KEPT = 20


@dataclass
class FindingOut:
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
