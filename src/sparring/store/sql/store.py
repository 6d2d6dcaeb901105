"""The store over SQL: the statement of each method, redaction before storing, and copying."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from inspect import signature
from itertools import islice
from typing import Any, Concatenate, ParamSpec, TypeVar

from sparring.core.conversation import Conversation, conversation_id
from sparring.core.errors import InputError
from sparring.core.events import Event
from sparring.core.verdict import Finding, Verdict
from sparring.store.derived import END, StoredResult
from sparring.store.redaction import Redaction
from sparring.store.sql import aggregates, mutations, reads, writes
from sparring.store.sql import checks as recorded
from sparring.store.sql import listing as in_short
from sparring.store.sql.connection import SqlConnection, marks
from sparring.store.sql.reads import Place
from sparring.store.store import ALL, ConversationFilter, RecordedResults, ignore

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")
P = ParamSpec("P")

_PAGE = 32
"""Small, so that rows die young: with a large batch in memory, objects that survive to a full garbage collection
cost more than reading them."""

_DOCUMENTS = 256
"""Conversations that are read at once as JSON."""

_VERDICTS = 256
"""Verdicts of checks that are read at once: they are small."""


def reading(
    read: Callable[Concatenate[SqlConnection, P], T],
) -> Callable[Concatenate["SqlStore", P], Coroutine[Any, Any, T]]:
    """Return the method of the store that reads so."""

    async def method(self: "SqlStore", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._read(lambda connection: read(connection, *args, **kwargs))

    return method


def writing(
    write: Callable[Concatenate[SqlConnection, P], T], *, hides: Collection[str] = ()
) -> Callable[Concatenate["SqlStore", P], Coroutine[Any, Any, T]]:
    """Return the method of the store that writes so, after redacting the arguments that it `hides`."""
    names = list(signature(write).parameters)[1:]

    async def method(self: "SqlStore", /, *args: P.args, **kwargs: P.kwargs) -> T:
        given: dict[str, Any] = {**dict(zip(names, args, strict=False)), **kwargs}
        hidden = {name: self._redaction.hidden(value) if name in hides else value for name, value in given.items()}
        return await self._write(partial(write, **hidden))

    return method


class SqlStore:
    """A store whose statements run over a `SqlConnection`.

    What its `Redaction` hides never reaches the database. A kind of database adds how it is opened, locked, and read
    and written: `_read` runs a function in a transaction of its own that sees one moment, `_write` runs one that may be
    repeated and returns once its changes are on disk.
    """

    def __init__(self, redaction: Redaction | None) -> None:
        self._redaction = redaction or Redaction()

    async def continue_numbers(self) -> None:
        """Continue the numbers of new rows after the copied ones, if the database does not do so itself."""

    async def _write(self, write: Callable[[SqlConnection], T]) -> T:
        raise NotImplementedError

    async def _read(self, read: Callable[[SqlConnection], T]) -> T:
        raise NotImplementedError

    create = writing(writes.create, hides=("batch",))
    append = writing(writes.append, hides=("conversations",))
    add = writing(writes.add_conversation, hides=("conversation", "checks"))
    replace = writing(writes.replace_conversation, hides=("conversation", "checks"))
    judge = writing(writes.add_verdict, hides=("verdict", "row"))
    log = writing(writes.log, hides=("event",))
    delete = writing(writes.delete)
    record_checks = writing(recorded.record, hides=("checks",))
    record_play = writing(mutations.record_play, hides=("play",))
    select = writing(writes.select)
    appoint = writing(writes.appoint)
    keep_calibration = writing(recorded.keep_calibration)
    save_prompts = writing(writes.save_prompts)
    drop = writing(writes.record_unstored_usage)
    log_endings = writing(writes.log_endings)
    keep_job = writing(writes.keep_job)
    record_tried = writing(recorded.record_tried)
    record_mutation = writing(mutations.record)
    saved_prompts = reading(reads.saved_prompts)
    job = reading(reads.job)
    waiting = reading(reads.waiting)
    prompts = reading(reads.prompts)
    batch = reading(reads.batch)
    cases = reading(reads.cases)
    head = reading(reads.found)
    namesakes = reading(reads.namesakes)
    batches = reading(reads.batches)
    count = reading(reads.count)
    progress = reading(reads.progress)
    stored = reading(reads.stored)
    consumed = reading(reads.consumed)
    unconfirmed = reading(reads.unconfirmed)
    position = reading(reads.case_position)
    conversation = reading(reads.conversation)
    attempts = reading(reads.attempts)
    judged = reading(reads.judged)
    calibrations = reading(reads.calibrations)
    recordings = reading(recorded.recordings)
    findings = reading(recorded.findings)
    tried = reading(recorded.tried)
    search = reading(in_short.search)
    lacks_results = reading(in_short.lacks_results)
    newest = reading(in_short.newest)
    totals = reading(in_short.totals)
    state = reading(aggregates.state)
    blocks = reading(aggregates.blocks)
    stored_between = reading(aggregates.stored_between)
    computed = reading(aggregates.computed)
    keep_computed = writing(aggregates.keep_computed)
    rebuild = writing(aggregates.rebuild)
    first_causes = reading(in_short.first_causes)
    rubric = reading(reads.rubric)
    mutation = reading(mutations.run)
    play = reading(mutations.play)
    recorded = reading(recorded.results)

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
        place = await self._place(id, after) or reads.START
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            page = await self._read(partial(reads.page, batch=id, wanted=wanted, after=place, limit=size))
            for place, case, conversation in page:
                if conversation is None:
                    unreadable(conversation_id(case, place[1]))
                    continue
                yield conversation
                left = None if left is None else left - 1
            if len(page) < size:
                return

    async def documents(self, batch: str) -> AsyncIterator[list[bytes]]:
        id, place = await self._read(partial(reads.resolve, which=batch)), reads.START
        while page := await self._read(partial(reads.documents, batch=id, after=place, limit=_DOCUMENTS)):
            place = page[-1][0]
            yield [document for _, document in page]

    async def with_results(
        self,
        batch: str,
        *,
        wanted: ConversationFilter = ALL,
        first: int = 0,
        stop: int = END,
        unreadable: Callable[[str], None] = ignore,
    ) -> AsyncIterator[tuple[Conversation, RecordedResults]]:
        page, place = partial(recorded.page, batch=batch, wanted=wanted, stop=stop, limit=_PAGE), (first, 0)
        while found := await self._read(partial(page, after=place)):
            for place, case, conversation, results in found:
                if conversation is None:
                    unreadable(conversation_id(case, place[1]))
                else:
                    yield conversation, results

    async def verdicts(self, batch: str, *, conversation: str = "", judge: str = "") -> AsyncIterator[Verdict]:
        id = await self._read(partial(reads.resolve, which=batch))
        only = await self._place(id, conversation)
        page = partial(reads.verdicts, batch=id, only=only, judge=judge, limit=_PAGE)
        async for verdict in self._pages(page, reads.FIRST):
            yield verdict

    async def checked(self, batch: str, *, conversation: str = "") -> AsyncIterator[tuple[str, Verdict]]:
        page = partial(recorded.verdicts, batch=batch, only=await self._place(batch, conversation), limit=_VERDICTS)
        async for found in self._pages(page, recorded.FIRST):
            yield found

    async def unchecked(
        self, batch: str, hashes: Sequence[str], *, conversation: str = "", first: int = 0, stop: int = END
    ) -> AsyncIterator[Conversation]:
        only = await self._place(batch, conversation)
        page = partial(recorded.unchecked, batch=batch, hashes=hashes, only=only, stop=stop, limit=_PAGE)
        async for found in self._pages(page, (first, 0)):
            yield found

    async def record_findings(self, batch: str, recordings: str, findings: Mapping[str, Finding]) -> None:
        hidden = {rule: self._redaction.hidden(finding) for rule, finding in findings.items()}
        await self._write(partial(recorded.record_findings, batch=batch, recordings=recordings, findings=hidden))

    async def unlisted(self, batch: str, *, first: int = 0, stop: int = END) -> AsyncIterator[Conversation]:
        id = await self._read(partial(reads.resolve, which=batch))
        page = partial(in_short.missing_rows, batch=id, stop=stop, limit=_PAGE)
        async for found in self._pages(page, (first, 0)):
            yield found

    async def stored_results(self, batch: str) -> AsyncIterator[StoredResult]:
        async for found in self._pages(partial(in_short.stored_results, batch=batch, limit=_DOCUMENTS), reads.START):
            yield found

    async def events(self, batch: str, *, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        id = await self._read(partial(reads.resolve, which=batch))
        async for found in self._pages(partial(reads.events, batch=id, limit=_PAGE), after):
            yield found

    async def _place(self, batch: str, id: str) -> Place | None:
        """Return the place of a conversation, or None without an id."""
        return await self._read(partial(reads.place, batch=batch, id=id)) if id else None

    async def _pages(self, page: Callable[..., Sequence[tuple[K, V | None]]], after: K) -> AsyncIterator[V]:
        """Yield the values of one page after the other; one that cannot be read is None, and is left out."""
        while found := await self._read(partial(page, after=after)):
            for _, value in found:
                if value is not None:
                    yield value
            after = found[-1][0]


TABLES = (
    *("batches", "last_runs", "cases", "batch_cases", "recordings", "conversations", "replaced", "events", "jobs"),
    *("rubrics", "verdicts", "calibrations", "dropped", "listed", "words", "prompts", "saved_prompts", "checked"),
    *("findings", "tried", "mutations", "mutant_plays", "aggregates", "computed"),
)
"""Every table, after those that it refers to."""

_ROWS = 1000


async def copy_store(source: SqlStore, target: SqlStore) -> int:
    """Copy all that a store holds at one moment, and return its number of conversations.

    Raises:
        InputError: the target is not empty.
    """
    if await target.count() or await target.saved_prompts():
        raise InputError("the store to copy to is not empty", hint="name a new file, or an empty database")
    loop = asyncio.get_running_loop()

    def copy(connection: SqlConnection) -> int:
        conversations = 0
        for table in TABLES:
            for columns, rows in _chunks(connection, table):
                insert = partial(_insert, table=table, columns=columns, rows=rows)
                asyncio.run_coroutine_threadsafe(target._write(insert), loop).result()
                conversations += len(rows) if table == "conversations" else 0
        return conversations

    copied = await source._read(copy)
    await target.continue_numbers()
    return copied


def _chunks(connection: SqlConnection, table: str) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
    with connection.stream(f"SELECT * FROM {table}") as found:
        rows = iter(found)
        while chunk := list(islice(rows, _ROWS)):
            yield [each[0] for each in found.description], chunk


def _insert(connection: SqlConnection, table: str, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    names = ", ".join(f'"{column}"' for column in columns)
    flags = [column == "waiting" for column in columns]  # SQLite keeps it as a number
    connection.executemany(
        f"INSERT INTO {table} ({names}) VALUES ({marks(columns)})",
        (tuple(bool(value) if flag else value for value, flag in zip(row, flags, strict=True)) for row in rows),
    )
