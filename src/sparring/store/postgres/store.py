"""A store in a PostgreSQL database, for more than one machine."""

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any, Self, TypeVar
from uuid import uuid4

import psycopg

from sparring.core.addresses import shown
from sparring.core.errors import InputError, StoreError
from sparring.store.postgres import database, limits, queue
from sparring.store.postgres.database import PostgresConnection
from sparring.store.redaction import Redaction
from sparring.store.remote import RemoteStore
from sparring.store.sql import aggregates
from sparring.store.sql.group_commit import GroupCommit
from sparring.store.sql.store import SqlStore, reading, writing

T = TypeVar("T")

_READERS = 4
"""Connections of a process for reading, beside the one for writing."""

_TRY_AGAIN = psycopg.errors.UniqueViolation, psycopg.errors.ForeignKeyViolation
_TRIES = 5
"""Attempts at one write that others' writes keep from being stored."""

_PAUSE = 0.2
"""Seconds between two attempts to reach a database that is gone."""


class PostgresStore(SqlStore, RemoteStore):
    """A store at a `postgresql://` address; use it as `async with PostgresStore(url) as store`.

    A lost database is tried again for `retry_seconds` seconds: reads are repeated, writes wait, and those whose commit
    was not confirmed are repeated unless they are there.
    """

    def __init__(
        self, url: str, *, must_exist: bool = False, retry_seconds: float = 30, redaction: Redaction | None = None
    ) -> None:
        super().__init__(redaction)
        self.url, self.place = url, shown(url)
        self._must_exist = must_exist
        self._retry_seconds = retry_seconds
        self._writer, self._groups = uuid4().hex, itertools.count(1)
        self._commits: GroupCommit[PostgresConnection] | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._mine = threading.local()
        self._opened: list[PostgresConnection] = []

    submit = writing(queue.submit)
    resume_batch = writing(queue.resume_batch)
    fail_shard = writing(queue.fail_shard)
    cancel_batch = writing(queue.cancel_batch)
    stop_batch = writing(queue.stop_batch)
    end_shard = writing(queue.end_shard)
    begin_batch = writing(queue.begin_batch)
    end_batch = writing(queue.end_batch)
    rescue = writing(queue.rescue)
    unattended = writing(queue.unattended)
    lease = writing(limits.lease)
    block = writing(limits.block)
    reserve = writing(limits.reserve)
    give_back = writing(limits.give_back)
    continue_numbers = writing(database.continue_numbers)
    retry_at = reading(queue.retry_at)
    logged = reading(queue.logged)
    controls = reading(queue.controls)
    remote_options = reading(queue.remote_options)
    shard = reading(queue.shard)

    def redacting(self, redaction: Redaction) -> Self:
        """Return this store with another redaction; it is open as long as this one."""
        other = copy(self)
        other._redaction = redaction
        return other

    async def __aenter__(self) -> Self:
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="sparring-reader")
        try:
            await self._in_thread(partial(self._prepare))
        except BaseException:
            self._close()
            raise
        self._commits = GroupCommit(self._commit)
        return self

    async def __aexit__(self, *exception: object) -> None:
        commits, self._commits = self._commits, None
        try:
            if commits is not None:
                await commits.close()
        finally:
            self._close()

    @contextmanager
    def playing(self, batch: str) -> Iterator[None]:
        with database.translated(self.place):
            connection = PostgresConnection(self.url)
        try:
            with database.translated(self.place):
                taken = database.take(connection, batch)
            if not taken:
                raise InputError(
                    f"batch {batch} is already being run by another program or a server",
                    hint="wait until it has finished, or stop it; stored conversations stay",
                )
            yield
        finally:
            database.let_go(connection)
            connection.raw.close()

    async def is_played(self, batch: str) -> bool:
        return await self._read(lambda connection: database.is_played(connection, batch))

    async def _write(self, write: Callable[[PostgresConnection], T]) -> T:
        if self._commits is None:
            raise StoreError(f"{self.place} is not open")
        with database.translated(self.place):
            return await self._commits.write(write)

    async def _read(self, read: Callable[[PostgresConnection], T]) -> T:
        if self._commits is None:
            raise StoreError(f"{self.place} is not open")
        return await self._in_thread(partial(self._at_one_moment, read))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with database.translated(self.place):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _prepare(self) -> None:
        database.prepare(self._connection(), self.place, must_exist=self._must_exist)

    def _at_one_moment(self, read: Callable[[PostgresConnection], T]) -> T:
        def once() -> T:
            connection = self._connection()
            with connection.transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY"):
                return read(connection)

        return self._patiently(once)

    def _commit(self, writes: list[Callable[[PostgresConnection], Any]]) -> list[Any]:
        """Return the results and exceptions of writes that share a transaction, unless one of them fails."""
        for attempt in range(_TRIES if len(writes) == 1 else 1):
            try:
                return self._together(writes)
            except psycopg.OperationalError as error:
                return [error] * len(writes)
            except _TRY_AGAIN as error:  # another process stored the same at the same time: now it is there
                if attempt == _TRIES - 1:
                    return [error]
            except Exception as error:  # noqa: BLE001 - it belongs to the caller that waits for this write
                if len(writes) == 1:
                    return [error]
        outcomes: list[Any] = []
        for write in writes:
            lost = bool(outcomes) and isinstance(outcomes[-1], psycopg.OperationalError)
            outcomes += outcomes[-1:] if lost else self._commit([write])
        return outcomes

    def _together(self, writes: list[Callable[[PostgresConnection], Any]]) -> list[Any]:
        """Commit the writes once, even if the database goes before it confirms the commit."""
        group, outcomes = next(self._groups), []

        def once() -> list[Any]:
            nonlocal outcomes
            connection = self._connection()
            with connection.transaction():
                if database.is_new(connection, self._writer, group):
                    outcomes = [write(connection) for write in writes]
                    aggregates.flush(connection)
            return outcomes

        return self._patiently(once)

    def _patiently(self, work: Callable[[], T]) -> T:
        """Repeat work that fails because the database is gone, until there is no more patience."""
        deadline = time.monotonic() + self._retry_seconds
        while True:
            try:
                return work()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)

    def _connection(self) -> PostgresConnection:
        """Return the connection of this thread, reconnecting if the last one broke."""
        connection: PostgresConnection | None = getattr(self._mine, "connection", None)
        if connection is None or not connection.usable:
            if connection is not None:
                self._mine.connection = None
                self._opened.remove(connection)
            connection = self._mine.connection = PostgresConnection(self.url)
            self._opened.append(connection)
        return connection

    def _close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()
        while self._opened:
            self._opened.pop().raw.close()
