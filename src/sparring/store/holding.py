"""One server at a time goes on with the batches of a store; who is killed holds nothing any more."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sparring.core.errors import StoreError
from sparring.store import database


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the store at `path` for a server; a StoreError if another one does.

    SQLite's own lock on a file beside it is what every system has, and gives back when a process dies.
    """
    beside = path.with_name(f"{path.name}-served")
    with database.translated(path):
        database.make(path)
    try:
        with closing(sqlite3.connect(beside, timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} is served by another server already", hint="stop it, or use another --store"
        ) from error


def is_held(path: Path) -> bool:
    """Whether a server holds the store."""
    if not path.with_name(f"{path.name}-served").exists():
        return False
    try:
        with held(path):
            return False
    except StoreError:
        return True
