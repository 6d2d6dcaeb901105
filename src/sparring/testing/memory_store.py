"""A store that forgets: an SQLite database in memory."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Self, TypeVar

from sparring.core.errors import InputError
from sparring.store.redaction import Redaction
from sparring.store.sqlite import database
from sparring.store.sqlite.database import SqliteConnection
from sparring.store.sqlite.store import SqliteStore

T = TypeVar("T")


class MemoryStore(SqliteStore):
    """Keeps everything in memory until it is garbage collected, even when closed.

    It needs no `async with`, and may be used from one event loop after another. What its `redaction` hides is not
    stored.
    """

    def __init__(self, *, redaction: Redaction | None = None) -> None:
        super().__init__(":memory:", redaction=redaction)
        self._connection = database.connect(self.path, busy_seconds=0)
        weakref.finalize(self, self._connection.close)
        database.prepare(self._connection, self.path, busy_seconds=0)
        self._lock = Lock()
        self._playing: set[str] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Keep the data, as a file does."""

    @contextmanager
    def playing(self, batch: str) -> Iterator[None]:
        if batch in self._playing:
            raise InputError(f"batch {batch} is already being run")
        self._playing.add(batch)
        try:
            yield
        finally:
            self._playing.remove(batch)

    async def is_played(self, batch: str) -> bool:
        return batch in self._playing

    async def _write(self, write: Callable[[SqliteConnection], T]) -> T:
        with self._lock, database.translated(self.path), database.transaction(self._connection):
            return write(self._connection)

    async def _lend(self, use: Callable[[SqliteConnection], T]) -> T:
        with self._lock, database.translated(self.path):
            return use(self._connection)
