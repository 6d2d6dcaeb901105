"""Group commit: what waits while one commit is on its way to the disk shares the next."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Any, Generic, TypeVar

from sparring.core.errors import StoreError

C = TypeVar("C")
T = TypeVar("T")

ROWS = 256


class GroupCommit(Generic[C]):
    """Writes with one thread over one connection. A write may be retried, so it must only write.

    A write does not wait for others: an idle disk is used at once, and groups form under load. Writes may come from the
    event loops of several threads, such as those of a server and of its background computations.
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
        self._lock = Lock()
        self._working = False
        self._closed = False

    async def write(self, write: Callable[[C], T]) -> T:
        """Return the result of `write` once it is on disk."""
        written: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed")
            self._waiting.append((write, written))
            if not self._working:
                self._working = True
                self._thread.submit(self._work)
        return await written

    async def close(self) -> None:
        """Write everything queued, and stop the thread."""
        with self._lock:
            self._closed = True
        await asyncio.to_thread(self._thread.shutdown)

    def _work(self) -> None:
        while True:
            with self._lock:
                group = [self._waiting.popleft() for _ in range(min(ROWS, len(self._waiting)))]
                if not group:
                    self._working = False
                    return
            outcomes = self._commit([write for write, _ in group])
            answers: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
            for (_, written), outcome in zip(group, outcomes, strict=True):
                answers.setdefault(written.get_loop(), []).append((written, outcome))
            for loop, settled in answers.items():
                with suppress(RuntimeError):  # the loop is closed, and its callers are gone
                    loop.call_soon_threadsafe(_settle, settled)

    def _commit(self, writes: list[Callable[[C], Any]]) -> list[Any]:
        try:
            outcomes = self._do(writes)
        except Exception as error:  # noqa: BLE001 - callers without an answer would wait forever
            return [error] * len(writes)
        lost = self._lost()
        return outcomes if lost is None else [lost] * len(writes)


def _settle(answers: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for written, outcome in answers:
        if written.done():
            continue  # the caller was cancelled
        if isinstance(outcome, Exception):
            written.set_exception(outcome)
        else:
            written.set_result(outcome)
