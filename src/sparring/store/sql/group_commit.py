"""Group commit: what waits while one commit is on its way to the disk shares the next."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from sparring.core.errors import StoreError

C = TypeVar("C")
T = TypeVar("T")

ROWS = 256


class GroupCommit(Generic[C]):
    """Writes with one thread over one connection; a write may be tried twice, so it must only write.

    A write does not wait for others: an idle disk is used at once, and under load groups form by themselves.
    """

    def __init__(
        self,
        commit: Callable[[list[Callable[[C], Any]]], list[Any]],
        lost: Callable[[], StoreError | None] = lambda: None,
    ) -> None:
        """`commit` returns the result or the error of each write; `lost`, an error if all is gone again."""
        self._do = commit
        self._lost = lost
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sparring-store")
        self._waiting: deque[tuple[Callable[[C], Any], asyncio.Future[Any]]] = deque()
        self._working: asyncio.Task[None] | None = None
        self._closed = False

    async def write(self, write: Callable[[C], T]) -> T:
        """Return the result of `write` once it is on disk."""
        if self._closed:
            raise StoreError("the store is closed")
        written: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, written))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await written

    async def close(self) -> None:
        """Write what is waiting, and let the thread go."""
        self._closed = True
        if self._working is not None:
            await asyncio.wait([self._working])
        self._thread.shutdown()

    async def _work(self) -> None:
        try:
            while self._waiting:
                group = [self._waiting.popleft() for _ in range(min(ROWS, len(self._waiting)))]
                writes = [write for write, _ in group]
                loop = asyncio.get_running_loop()
                outcomes = await loop.run_in_executor(self._thread, self._commit, writes)
                for (_, written), outcome in zip(group, outcomes, strict=True):
                    _settle(written, outcome)
        finally:
            self._working = None

    def _commit(self, writes: list[Callable[[C], Any]]) -> list[Any]:
        try:
            outcomes = self._do(writes)
        except Exception as error:  # noqa: BLE001 - callers without an answer would wait forever
            return [error] * len(writes)
        lost = self._lost()
        return outcomes if lost is None else [lost] * len(writes)


def _settle(written: asyncio.Future[Any], outcome: Any) -> None:
    if written.done():
        return  # the caller was cancelled
    if isinstance(outcome, Exception):
        written.set_exception(outcome)
    else:
        written.set_result(outcome)
