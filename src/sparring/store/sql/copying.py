"""Copies a store into an empty one, whichever databases they are: both have the same tables."""

import asyncio
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from sparring.core.errors import InputError
from sparring.store.sql.connection import SqlConnection, marks
from sparring.store.sql.store import SqlStore

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
