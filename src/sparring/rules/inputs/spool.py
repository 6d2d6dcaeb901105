"""Items of groups that lie scattered in a file, such as the spans of traces, on disk if they are many."""

import pickle
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Generic, TypeVar

T = TypeVar("T")

_CACHE = 20_000  # kilobytes in memory


class Spool(Generic[T]):
    """Items by the names of their groups. Iteration goes by group, in the order of their first items."""

    def __init__(self) -> None:
        import sqlite3  # only formats with scattered items need it

        self._numbers: dict[str, int] = {}
        self._items = 0
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
        """Add an item behind those of its group."""
        number = self._numbers.setdefault(group, len(self._numbers))
        self._items += 1
        row = (number, self._items, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
        self._base.execute("INSERT INTO items VALUES (?, ?, ?)", row)

    def __iter__(self) -> Iterator[tuple[str, list[T]]]:
        names = list(self._numbers)
        rows = self._base.execute("SELECT number, item FROM items ORDER BY number, place")
        for number, some in groupby(rows, itemgetter(0)):
            yield names[number], [pickle.loads(item) for _, item in some]

    def __len__(self) -> int:
        return len(self._numbers)

    def __del__(self) -> None:
        self._base.close()
