"""Logs with one message a row: CSV files, or JSON lines.

Other fields of the first row of a conversation become variables.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.message import Role
from sparring.core.text import did_you_mean
from sparring.rules.inputs.chatml import ROLES
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat
from sparring.rules.inputs.transcript import Transcript, conversation

T = TypeVar("T")

_CACHE = 20_000  # kilobytes in memory
_TOGETHER = 1000  # items written at once


class Spool(Generic[T]):
    """Lists of items by the names of their groups, in the order of the first items."""

    def __init__(self) -> None:
        import sqlite3  # only formats with scattered items need it

        self._numbers: dict[str, int] = {}
        self._items = 0
        self._new: list[tuple[int, int, bytes]] = []
        self._base = sqlite3.connect("", isolation_level=None, check_same_thread=False)  # a file that nothing else sees
        self._base.executescript(f"""
            PRAGMA journal_mode = OFF;
            PRAGMA cache_size = -{_CACHE};
            CREATE TABLE items (number INTEGER, place INTEGER, item BLOB, PRIMARY KEY (number, place)) WITHOUT ROWID;
            BEGIN;
        """)

    def __contains__(self, group: str) -> bool:
        return group in self._numbers

    def add(self, group: str, item: T) -> None:
        """Add an item after those of its group."""
        number = self._numbers.setdefault(group, len(self._numbers))
        self._items += 1
        self._new.append((number, self._items, pickle.dumps(item, pickle.HIGHEST_PROTOCOL)))
        if len(self._new) >= _TOGETHER:
            self._write()

    def _write(self) -> None:
        self._base.executemany("INSERT INTO items VALUES (?, ?, ?)", self._new)
        self._new.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __getitem__(self, group: str) -> list[T]:
        self._write()
        rows = self._base.execute("SELECT item FROM items WHERE number = ? ORDER BY place", (self._numbers[group],))
        return [pickle.loads(item) for (item,) in rows]

    def __len__(self) -> int:
        return len(self._numbers)

    def __del__(self) -> None:
        self._base.close()


_SHOWN = 20
_REQUIRED = ("id", "role", "text")
_USUAL = {
    "id": (
        *(
            f"{each}{end}"
            for end in ("_id", "id")
            for each in ("conversation", "session", "thread", "dialog", "dialogue")
        ),
        *("chat_id", "chatid", "call_id", "conversation", "session", "thread", "dialog", "dialogue", "id"),
    ),
    "role": ("role", "sender", "speaker", "author", "from", "who", "sender_type", "author_type", "participant"),
    "text": ("text", "content", "message", "utterance", "body", "message_text"),
}
"""The usual names of columns, best first."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Names of the columns of a log."""

    id: str = "id"
    role: str = "role"
    text: str = "text"


def columns_of(text: str) -> ColumnNames:
    """Parse `id=session,role=speaker,text=content`."""
    pairs = [part.partition("=")[::2] for part in text.split(",") if part.strip()]
    given = {name.strip(): column.strip() for name, column in pairs}
    problems = [
        Problem(
            message=f"--map: unknown {name!r}", hint=did_you_mean(name, _REQUIRED) or f"allowed: {', '.join(_REQUIRED)}"
        )
        for name in given
        if name not in _REQUIRED
    ]
    problems += [Problem(message=f"--map: {name!r} is missing") for name in _REQUIRED if not given.get(name)]
    if problems:
        raise InputError(problems, hint="--map id=COLUMN,role=COLUMN,text=COLUMN")
    return ColumnNames(**given)


def with_columns(columns: ColumnNames) -> LogFormat:
    """Return the format of rows with these columns; with the default ones, of rows with any usual names."""
    lookup = _usual if columns == ColumnNames() else lambda _: columns
    return LogFormat(partial(_fits, lookup), partial(_read, lookup))


_Lookup = Callable[[tuple[str, ...]], ColumnNames]


@lru_cache
def _usual(header: tuple[str, ...]) -> ColumnNames:
    """Return the columns with usual names, or the default ones."""
    named = {str(each).strip().lower().replace(" ", "_").replace("-", "_"): each for each in reversed(header)}
    found = {column: next((named[each] for each in usual if each in named), column) for column, usual in _USUAL.items()}
    return ColumnNames(**found)


def _fits(lookup: _Lookup, entry: LogEntry) -> bool:
    keys = (*entry.value,) if isinstance(entry.value, dict) else ()
    columns = lookup(keys)
    return entry.under == "csv" or {columns.id, columns.role, columns.text} <= {*keys}


def _read(lookup: _Lookup, entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
    """Yield the conversations in order of their first row, and a problem for each row that is skipped."""
    begun = Spool[tuple[Role, str, dict[str, Any]]]()
    for entry in entries:
        row = entry.value
        columns = lookup((*row,) if isinstance(row, dict) else ())
        problem = _problem(entry, row, columns) if isinstance(row, dict) else entry.problem("is not a JSON object")
        if problem is not None:
            yield problem
            continue
        id, role = str(row[columns.id]), ROLES[str(row[columns.role]).strip().lower()]
        begun.add(id, (role, str(row[columns.text] or ""), {} if id in begun else _others(row, columns)))
    for id in begun:
        said, transcript = begun[id], Transcript()
        for role, text, _ in said:
            transcript.say(role, text)
        yield conversation(id, transcript, variables=said[0][2])


def _problem(entry: LogEntry, row: Mapping[str, Any], columns: ColumnNames) -> Problem | None:
    for column in (columns.id, columns.role, columns.text):
        if column not in row:
            meant = did_you_mean(column, map(str, row)) if len(row) > 1 else ""
            return entry.problem(f"has no {column!r}", meant or _columns_of(row))
    role = str(row[columns.role]).strip().lower()
    if role not in ROLES:
        return entry.problem(f"unknown role {role!r}")
    return None if str(row[columns.id] or "").strip() else entry.problem("has no id")


def _columns_of(row: Mapping[str, Any]) -> str:
    """Return a hint with the columns of a row."""
    return f"columns: {', '.join(repr(str(name)) for name in [each for each in row if each][:_SHOWN])}"


def _others(row: Mapping[str, Any], columns: ColumnNames) -> dict[str, Any]:
    own = {columns.id, columns.role, columns.text}
    return {name: value for name, value in row.items() if name and name not in own}


FORMAT = with_columns(ColumnNames())
