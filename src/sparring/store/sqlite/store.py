"""The default store: one SQLite file."""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, StoreError
from sparring.core.usage import Usage
from sparring.store import names as private
from sparring.store.redaction import Redaction
from sparring.store.sql.group_commit import GroupCommit
from sparring.store.sql.store import SqlStore
from sparring.store.sql.writes import append, record_unstored_usage
from sparring.store.sqlite import database, locks
from sparring.store.sqlite.database import SqliteConnection, Unsynced

T = TypeVar("T")


class SqliteStore(SqlStore):
    """A store in one file, made on demand with its folder.

    Use it as `async with SqliteStore(path) as store`. Several programs may use one file at once; each waits up to
    `busy_seconds` for its turn to write. With `must_exist` a missing file is an error, for those who only want to read.
    What its `redaction` hides never reaches the file.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        must_exist: bool = False,
        busy_seconds: float = 30,
        redaction: Redaction | None = None,
    ) -> None:
        super().__init__(redaction)
        self.path = Path(path)
        self._must_exist = must_exist
        self._busy_seconds = busy_seconds
        self._idle: list[SqliteConnection] = []
        self._commits: GroupCommit[SqliteConnection] | None = None

    async def __aenter__(self) -> Self:
        self._writer = await self._in_thread(self._open)
        self._file = self._there()
        self._commits = GroupCommit(partial(database.commit, self._writer), self._lost)
        return self

    async def __aexit__(self, *exception: object) -> None:
        commits, self._commits = self._opened(), None
        try:
            await commits.close()
        finally:
            while self._idle:
                self._idle.pop().close()
            self._writer.close()

    async def delete(self, batch: str) -> bool:
        deleted = await super().delete(batch)
        await self._lend(database.write_back)
        return deleted

    def playing(self, batch: str) -> AbstractContextManager[None]:
        return locks.batch_lock(self.path, batch)

    async def is_played(self, batch: str) -> bool:
        return await self._in_thread(partial(locks.is_played, self.path, batch))

    async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
        drop = partial(record_unstored_usage, batch=batch, usage=usage, run=run)
        await self._write(Unsynced(drop) if run and usage.calls else drop)

    async def append(self, batch: str, conversations: Sequence[Conversation]) -> None:
        hidden = self._redaction.hidden(conversations)
        await self._write(Unsynced(partial(append, batch=batch, conversations=hidden)))

    async def _write(self, write: Callable[[SqliteConnection], T]) -> T:
        with database.translated(self.path):
            return await self._opened().write(write)

    def _lost(self) -> StoreError | None:
        """Return an error if the file was deleted or replaced: SQLite keeps writing into the deleted one."""
        if self._there() == self._file:
            return None
        return StoreError(
            f"{self.path} was deleted or replaced while it was written",
            hint="its contents are lost; run the batch again",
        )

    def _there(self) -> tuple[int, int] | None:
        """Return the device and inode of the file at the path, if there is one."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    async def _read(self, read: Callable[[SqliteConnection], T]) -> T:
        return await self._lend(partial(_at_one_moment, read=read))

    async def _lend(self, use: Callable[[SqliteConnection], T]) -> T:
        self._opened()
        return await self._in_thread(partial(self._lend_now, use))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with database.translated(self.path):
            return await asyncio.to_thread(work)

    def _opened(self) -> GroupCommit[SqliteConnection]:
        if self._commits is None:
            raise StoreError(f"{self.path} is not open")
        return self._commits

    def _open(self) -> SqliteConnection:
        if self._must_exist and not self.path.exists():
            raise InputError(f"there is no store at {self.path}", hint="`sparring run` and `sparring demo` make one")
        database.check(self.path)
        database.make(self.path)
        private.make_empty(self.path)
        connection = database.connect(self.path, busy_seconds=self._busy_seconds)
        try:
            database.prepare(connection, self.path, busy_seconds=self._busy_seconds)
        except BaseException:
            connection.close()
            raise
        return connection

    def _lend_now(self, use: Callable[[SqliteConnection], T]) -> T:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = database.connect(self.path, busy_seconds=self._busy_seconds)
        try:
            return use(connection)
        finally:
            if self._commits is None:
                connection.close()
            else:
                self._idle.append(connection)


def _at_one_moment(connection: SqliteConnection, read: Callable[[SqliteConnection], T]) -> T:
    with database.moment(connection):
        return read(connection)
