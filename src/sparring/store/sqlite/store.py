"""The default store: one SQLite file."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from sparring.core.batch import Batch, BatchExecution, Progress
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, StoreError
from sparring.core.events import Event
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals
from sparring.core.outcome import Discrimination
from sparring.core.prompts import Prompts, SavedPrompts
from sparring.core.usage import Usage
from sparring.core.verdict import Finding, Verdict
from sparring.store import names
from sparring.store import names as private
from sparring.store.redaction import Redaction
from sparring.store.sqlite import checks as recorded
from sparring.store.sqlite import database, locks, reads, writes
from sparring.store.sqlite import listing as in_short
from sparring.store.sqlite.group_commit import GroupCommit
from sparring.store.store import ALL, ConversationFilter, PendingUsage, RecordedChecks, ignore

T = TypeVar("T")

_PAGE = 32
"""Small, so that what was read dies young: beside a large batch in memory, objects that Python's collector has to
look at again cost more than reading them."""

_VERDICTS = 256
"""Verdicts of checks that are read at once: they are small."""


class SqliteStore:
    """A store in one file, made on demand with its directory; use it as `async with SqliteStore(path) as store`.

    Several programs may use one file at once; each waits up to `busy_seconds` for its turn to write. With `must_exist`
    a missing file is an error, for those who only want to read. What `hiding` hides never reaches the file.
    """

    def __init__(
        self, path: str | Path, *, must_exist: bool = False, busy_seconds: float = 30, hiding: Redaction | None = None
    ) -> None:
        self.path = Path(path)
        self._must_exist = must_exist
        self._busy_seconds = busy_seconds
        self._hiding = hiding or Redaction()
        self._idle: list[sqlite3.Connection] = []
        self._commits: GroupCommit | None = None

    async def __aenter__(self) -> Self:
        self._writer = await self._in_thread(self._open)
        self._file = self._there()
        self._commits = GroupCommit(self._writer, self._lost)
        return self

    async def __aexit__(self, *exception: object) -> None:
        commits, self._commits = self._opened(), None
        try:
            await commits.close()
        finally:
            while self._idle:
                self._idle.pop().close()
            self._writer.close()

    async def create(self, batch: Batch, *, prompts: tuple[Prompts, ...] = ()) -> bool:
        names.acceptable(batch)
        return await self._write(partial(writes.create, batch=self._hiding.hidden(batch), prompts=prompts))

    async def add(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        conversation, checks_found = self._hiding.hidden(conversation), self._hiding.hidden(checks)
        add = partial(writes.add_conversation, batch=batch, conversation=conversation, checks_found=checks_found)
        return await self._write(writes.noting(add, batch, unkept))

    async def save_prompts(self, name: str, prompts: Prompts, created: datetime) -> bool:
        return await self._write(partial(writes.save_prompts, name=name, prompts=prompts, created=created))

    async def saved_prompts(self, name: str = "") -> list[SavedPrompts]:
        return await self._read(partial(reads.saved_prompts, name=name))

    async def delete(self, batch: str) -> bool:
        deleted = await self._write(partial(writes.delete, batch=batch))
        await self._lend(database.write_back)
        return deleted

    async def judge(
        self,
        batch: str,
        verdict: Verdict,
        *,
        rubric: Rubric | None = None,
        anew: bool = False,
        row: ConversationRow | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        verdict, row = self._hiding.hidden(verdict), self._hiding.hidden(row)
        judge = partial(writes.add_verdict, batch=batch, verdict=verdict, rubric=rubric, anew=anew, row=row)
        return await self._write(writes.noting(judge, batch, unkept))

    async def replace(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        conversation, checks_found = self._hiding.hidden(conversation), self._hiding.hidden(checks)
        replace = partial(
            writes.replace_conversation, batch=batch, conversation=conversation, checks_found=checks_found
        )
        return await self._write(writes.noting(replace, batch, unkept))

    async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
        await self._write(partial(writes.record_unstored_usage, batch=batch, usage=usage, run=run))

    def playing(self, batch: str) -> AbstractContextManager[None]:
        return locks.batch_lock(self.path, batch)

    async def is_played(self, batch: str) -> bool:
        return await self._in_thread(partial(locks.is_played, self.path, batch))

    async def log(self, batch: str, event: Event) -> int:
        return await self._write(partial(writes.log, batch=batch, event=self._hiding.hidden(event)))

    async def log_endings(self, batch: str) -> int:
        return await self._write(partial(writes.log_endings, batch=batch))

    async def keep_job(self, job: BatchExecution) -> None:
        return await self._write(partial(writes.keep_job, job=job))

    async def job(self, batch: str) -> BatchExecution | None:
        return await self._read(partial(reads.job, batch=batch))

    async def waiting(self) -> list[BatchExecution]:
        return await self._read(reads.waiting)

    async def prompts(self, hash: str = "") -> list[Prompts]:
        return await self._read(partial(reads.prompts, hash=hash))

    async def batch(self, which: str) -> Batch:
        return await self._read(partial(reads.batch, which=which))

    async def head(self, which: str) -> Batch:
        return await self._read(partial(reads.found, which=which))

    async def namesakes(self, name: str) -> list[str]:
        return await self._read(partial(reads.namesakes, name=name))

    async def batches(self, *, limit: int = 100, before: str = "") -> list[Batch]:
        return await self._read(partial(reads.batches, limit=limit, before=before))

    async def count(self) -> int:
        return await self._read(reads.count)

    async def progress(self, batch: str) -> Progress:
        return await self._read(partial(reads.progress, which=batch))

    async def stored(self, batch: str) -> set[tuple[str, int]]:
        return await self._read(partial(reads.stored, which=batch))

    async def consumed(self, batch: str) -> tuple[Usage, int]:
        return await self._read(partial(reads.consumed, which=batch))

    async def conversation(self, batch: str, id: str) -> Conversation:
        return await self._read(partial(reads.conversation, which=batch, id=id))

    async def attempts(self, batch: str, id: str) -> list[Conversation]:
        return await self._read(partial(reads.attempts, which=batch, id=id))

    async def conversations(
        self,
        batch: str,
        *,
        wanted: ConversationFilter = ALL,
        after: str = "",
        limit: int | None = None,
        unreadable: Callable[[str], None] = ignore,
    ) -> AsyncIterator[Conversation]:
        id = await self._read(partial(reads.resolve, which=batch))
        place = await self._read(partial(reads.place, batch=id, id=after)) if after else reads.START
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            page = await self._read(partial(reads.page, batch=id, wanted=wanted, after=place, limit=size))
            for place, case, conversation in page:
                if conversation is None:
                    unreadable(case if place[1] == 1 else f"{case}#{place[1]}")
                    continue
                yield conversation
                left = None if left is None else left - 1
            if len(page) < size:
                return

    async def judged(self, batch: str, judge: str) -> set[tuple[str, int, str]]:
        return await self._read(partial(reads.judged, which=batch, judge=judge))

    async def verdicts(self, batch: str, *, conversation: str = "") -> AsyncIterator[Verdict]:
        id = await self._read(partial(reads.resolve, which=batch))
        only = await self._read(partial(reads.place, batch=id, id=conversation)) if conversation else None
        after = reads.FIRST
        while page := await self._read(partial(reads.verdicts, batch=id, after=after, only=only, limit=_PAGE)):
            for _, verdict in page:
                if verdict is not None:
                    yield verdict
            after = page[-1][0]

    async def record_checks(self, batch: str, checks: Sequence[RecordedChecks]) -> None:
        hidden = [self._hiding.hidden(each) for each in checks]
        await self._write(partial(recorded.record, batch=batch, checks=hidden))

    async def checked(
        self, batch: str, *, conversation: str = "", after: str = ""
    ) -> AsyncIterator[tuple[str, Verdict]]:
        only = await self._read(partial(reads.place, batch=batch, id=conversation)) if conversation else None
        start = await self._read(partial(reads.place, batch=batch, id=after)) if after else None
        place = recorded.FIRST if start is None else (*start, recorded.LAST)
        while page := await self._read(
            partial(recorded.verdicts, batch=batch, after=place, only=only, limit=_VERDICTS)
        ):
            for (*_, hash), verdict in page:
                if verdict is not None:
                    yield str(hash), verdict
            place = page[-1][0]

    async def unchecked(
        self, batch: str, hashes: Sequence[str], *, conversation: str = ""
    ) -> AsyncIterator[Conversation]:
        only = await self._read(partial(reads.place, batch=batch, id=conversation)) if conversation else None
        unchecked = partial(recorded.unchecked, batch=batch, hashes=hashes, only=only, limit=_PAGE)
        place = reads.START
        while page := await self._read(partial(unchecked, after=place)):
            place = page[-1][0]
            for _, found in page:
                if found is not None:
                    yield found

    async def recordings(self, batch: str) -> str:
        return await self._read(partial(recorded.recordings, batch=batch))

    async def record_findings(self, batch: str, recordings: str, findings: Mapping[str, Finding]) -> None:
        hidden = {rule: self._hiding.hidden(finding) for rule, finding in findings.items()}
        await self._write(partial(recorded.record_findings, batch=batch, recordings=recordings, findings=hidden))

    async def findings(self, batch: str) -> dict[str, Finding]:
        return await self._read(partial(recorded.findings, batch=batch))

    async def tried(self, key: str) -> Discrimination | None:
        return await self._read(partial(recorded.tried, key=key))

    async def record_tried(self, key: str, found: Discrimination) -> None:
        await self._write(partial(recorded.record_tried, key=key, found=found))

    async def unlisted(self, batch: str) -> AsyncIterator[Conversation]:
        id = await self._read(partial(reads.resolve, which=batch))
        place = reads.START
        while page := await self._read(partial(in_short.missing_rows, batch=id, after=place, limit=_PAGE)):
            place = page[-1][0]
            for _, conversation in page:
                if conversation is not None:
                    yield conversation

    async def search(
        self, batch: str, wanted: ConversationQuery, *, offset: int, limit: int
    ) -> tuple[int, list[ConversationRow]]:
        id = await self._read(partial(reads.resolve, which=batch))
        return await self._read(partial(in_short.search, batch=id, wanted=wanted, offset=offset, limit=limit))

    async def rows(self, batch: str, *, conversation: str = "", after: str = "") -> AsyncIterator[ConversationRow]:
        only = await self._read(partial(reads.place, batch=batch, id=conversation)) if conversation else None
        place = await self._read(partial(reads.place, batch=batch, id=after)) if after else reads.START
        while page := await self._read(partial(in_short.rows, batch=batch, after=place, only=only, limit=_VERDICTS)):
            place = page[-1][0]
            for _, row in page:
                yield row

    async def newest(self, batch: str, *, limit: int) -> list[ConversationRow]:
        id = await self._read(partial(reads.resolve, which=batch))
        return await self._read(partial(in_short.newest, batch=id, limit=limit))

    async def totals(self, batch: str) -> RowTotals:
        id = await self._read(partial(reads.resolve, which=batch))
        return await self._read(partial(in_short.totals, batch=id))

    async def rubric(self, hash: str) -> Rubric | None:
        return await self._read(partial(reads.rubric, hash=hash))

    async def events(self, batch: str, *, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        id = await self._read(partial(reads.resolve, which=batch))
        while page := await self._read(partial(reads.events, batch=id, after=after, limit=_PAGE)):
            for after, event in page:
                if event is not None:
                    yield after, event

    async def _write(self, write: Callable[[sqlite3.Connection], T]) -> T:
        with database.translated(self.path):
            return await self._opened().write(write)

    def _lost(self) -> StoreError | None:
        """Return an error if the file was deleted or replaced: SQLite keeps writing into the deleted one."""
        if self._there() == self._file:
            return None
        return StoreError(
            f"{self.path} was deleted or replaced while it was written",
            hint="what was stored in it is gone; play it again",
        )

    def _there(self) -> tuple[int, int] | None:
        """Return the device and inode of the file at the path, if there is one."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    async def _read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        return await self._lend(partial(_at_one_moment, read=read))

    async def _lend(self, use: Callable[[sqlite3.Connection], T]) -> T:
        self._opened()
        return await self._in_thread(partial(self._lend_now, use))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        with database.translated(self.path):
            return await asyncio.to_thread(work)

    def _opened(self) -> GroupCommit:
        if self._commits is None:
            raise StoreError(f"{self.path} is not open")
        return self._commits

    def _open(self) -> sqlite3.Connection:
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

    def _lend_now(self, use: Callable[[sqlite3.Connection], T]) -> T:
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


def _at_one_moment(connection: sqlite3.Connection, read: Callable[[sqlite3.Connection], T]) -> T:
    with database.moment(connection):
        return read(connection)
