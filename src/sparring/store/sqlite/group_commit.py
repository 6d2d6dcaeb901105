"""Group commit: what waits while one commit is on its way to the disk shares the next."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sparring.core.errors import StoreError
from sparring.store.sqlite.database import transaction

T = TypeVar("T")
Write = Callable[[sqlite3.Connection], Any]

ROWS = 256


class GroupCommit:
    """Writes with one thread over one connection; a write may be tried twice, so it must only write.

    Nobody waits for company: an idle disk is used at once, and under load the disk itself makes the groups.
    """

    def __init__(self, connection: sqlite3.Connection, lost: Callable[[], StoreError | None] = lambda: None) -> None:
        """`lost` is asked after every commit whether what was written is gone all the same."""
        self._connection = connection
        self._lost = lost
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sparring-store")
        self._waiting: deque[tuple[Write, asyncio.Future[Any]]] = deque()
        self._working: asyncio.Task[None] | None = None
        self._closed = False

    async def write(self, write: Callable[[sqlite3.Connection], T]) -> T:
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

    def _commit(self, writes: list[Write]) -> list[Any]:
        outcomes = commit(self._connection, writes)
        lost = self._lost()
        return outcomes if lost is None else [lost] * len(writes)


def commit(connection: sqlite3.Connection, writes: list[Write]) -> list[Any]:
    """Do the writes in one transaction, or each in one of its own if one of them fails.

    What a write returns or raises stands in its place.
    """
    try:
        with transaction(connection):
            return [write(connection) for write in writes]
    except sqlite3.OperationalError as error:
        return [error] * len(writes)  # a locked file or a full disk is nobody's fault, and the same for all
    except Exception as error:  # noqa: BLE001 - it belongs to whoever waits for this write
        if len(writes) == 1:
            return [error]
    return [outcome for write in writes for outcome in commit(connection, [write])]


def _settle(written: asyncio.Future[Any], outcome: Any) -> None:
    if written.done():
        return  # whoever wanted to know was cancelled
    if isinstance(outcome, Exception):
        written.set_exception(outcome)
    else:
        written.set_result(outcome)
