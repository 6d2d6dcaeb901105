"""Locks: one server at a time runs the batches of a store, and one process at a time plays a batch.

A lock is SQLite's own lock on a small file beside the store: it works on every system, and a killed process releases
it.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sparring.core.errors import InputError, StoreError
from sparring.store import names
from sparring.store.sqlite import database

_GUARD_SECONDS = 5


@contextmanager
def store_lock(path: Path) -> Iterator[None]:
    """Lock the store at `path` for a server. Raise StoreError if another server holds the lock."""
    with database.translated(path):
        database.make(path)
    try:
        with _locked(_beside(path, "served")):
            yield
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} is served by another server already", hint="stop it, or use another --store"
        ) from error


def is_held(path: Path) -> bool:
    """Return True if a server holds the lock of the store."""
    if not _beside(path, "served").exists():
        return False
    try:
        with store_lock(path):
            return False
    except StoreError:
        return True


def is_played(path: Path, batch: str) -> bool:
    """Return True if a process holds the lock of a batch of a store; do not block that process."""
    guard, file = _of(path, batch)
    if not file.exists():
        return False
    with database.translated(path), _locked(guard, seconds=_GUARD_SECONDS):
        try:
            with closing(_locked_for(batch, file)):
                return False
        except InputError:
            return True


@contextmanager
def batch_lock(path: Path, batch: str) -> Iterator[None]:
    """Lock a batch of the store at `path`. Raise InputError if another process holds the lock."""
    guard, file = _of(path, batch)
    with database.translated(path), _locked(guard, seconds=_GUARD_SECONDS):
        # Under the guard no other process removes the file between finding and locking it.
        lock = _locked_for(batch, file)
    with closing(lock):
        try:
            yield
        finally:
            with database.translated(path), _locked(guard, seconds=_GUARD_SECONDS), suppress(OSError):
                file.unlink()


def _locked_for(batch: str, file: Path) -> sqlite3.Connection:
    try:
        return _lock(file)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise InputError(
            f"batch {batch} is already being run by another program or a server",
            hint="wait until it has finished, or stop it; stored conversations stay",
        ) from error


def _of(path: Path, batch: str) -> tuple[Path, Path]:
    """Return the file locked while a batch is acquired or released, and the one locked while it is played."""
    name = batch if batch.isalnum() and batch.isascii() else hashlib.sha256(batch.encode()).hexdigest()
    return _beside(path, "playing"), _beside(path, f"playing-{name}")


def _beside(path: Path, what: str) -> Path:
    return path.with_name(f"{path.name}-{what}")


@contextmanager
def _locked(file: Path, *, seconds: float = 0) -> Iterator[None]:
    with closing(_lock(file, seconds=seconds)):
        yield


def _lock(file: Path, *, seconds: float = 0) -> sqlite3.Connection:
    names.make_empty(file)
    connection = sqlite3.connect(file, timeout=seconds, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except BaseException:
        connection.close()
        raise
    return connection
