"""Items of groups that lie scattered in a file, such as the spans of traces, on disk if they are many."""

import pickle
from collections.abc import Iterator
from typing import Generic, TypeVar

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
