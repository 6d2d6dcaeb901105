"""Opens the SQLite file, migrates its schema, and explains its problems in one sentence."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sparring.core.errors import InputError, StoreError
from sparring.store import names
from sparring.store.sql import aggregates
from sparring.store.sql.connection import Changes, SqlDialect, readable

_OURS = 0x53504152  # "SPAR", so that another program's database is never taken for ours

_COUNTED = 16
"""The first schema with aggregates."""

_FOREIGN = "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE '%virtual%'"
_ELSEWHERE = "SPARRING_STORE=FILE names another place"
_COPY = "copy it to where you may write"
_MEANINGS = {
    sqlite3.SQLITE_NOTADB: ("is not a Sparring store", _ELSEWHERE),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "restore it from a backup, or move it away and start a new one"),
    sqlite3.SQLITE_BUSY: ("is in use by another program", "wait until it has finished, and try again"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "what was stored before is safe; make room, and resume"),
    sqlite3.SQLITE_IOERR: (
        "could not be read or written by the disk",
        "what was stored before is safe; look for a full or failing disk",
    ),
    sqlite3.SQLITE_READONLY: ("may not be written", _ELSEWHERE),
    sqlite3.SQLITE_PERM: ("may not be opened", _ELSEWHERE),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _ELSEWHERE),
}


DIALECT = SqlDialect(
    document="iif(json_valid(CAST({0} AS TEXT)), CAST({0} AS TEXT), '{{}}')",
    texts="json_each(iif(json_valid({0}), {0}, '[]')) AS each",
    object="json_each({0}) AS each",
    objects="json_each({0}) AS each",
    contains="instr({0}, ?)",
    backwards="INDEXED BY conversations_by_recording",
)


class SqliteConnection(sqlite3.Connection):
    """A connection to the file."""

    dialect = DIALECT
    part = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.changes = Changes()
        self.synced = True

    def stream(self, sql: str, /) -> "closing[sqlite3.Cursor]":
        return closing(self.execute(sql))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise every failure of the file inside this block as a StoreError of one sentence."""
    try:
        with readable(path):
            yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        meaning, hint = _MEANINGS.get(code, (f"could not be used: {error}", ""))
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) and path.exists() and not _writable(path):
            meaning, hint = "is read-only", _COPY
        raise StoreError(f"{path} {meaning}", hint=hint) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror}", hint=_ELSEWHERE) from error


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def check(path: Path) -> None:
    """Raise InputError for a file that is no store, such as a scenario; create and change nothing.

    SQLite reads the file: opening and closing it here would release the locks of every connection of this process
    (https://sqlite.org/howtocorrupt.html, 2.2), and another process would delete the log that they write.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a Sparring store", hint=_ELSEWHERE)
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        # Other problems are explained by opening the store.
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_NOTADB:
            message = f"{path} is not a Sparring store, and stays as it is"
            raise InputError(message, hint=_ELSEWHERE) from error


def make(path: Path) -> None:
    """Make the directory on demand; one that we made is kept out of version control."""
    directory = path.absolute().parent
    try:
        directory.mkdir(names.FOLDER, parents=True)
    except FileExistsError:
        return
    (directory / ".gitignore").write_text("*\n")


def is_frozen(path: Path) -> bool:
    """Return True if the file's folder is read-only.

    SQLite writes there even to read, so such a file is opened as immutable. Raise StoreError if a program was
    interrupted before it had moved everything from the log into the file.
    """
    if not path.exists() or os.access(path.absolute().parent, os.W_OK):
        return False
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreError(f"{path} is read-only, and a part of it is in {log.name}", hint=_COPY)
    return True


def connect(path: Path, *, busy_seconds: float) -> SqliteConnection:
    """A connection that threads may pass on; its commits are on disk when they return."""
    frozen = is_frozen(path)
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?immutable=1" if frozen else path,
        uri=frozen,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        factory=SqliteConnection,
    )
    try:
        connection.execute("PRAGMA foreign_keys = on")
        connection.execute("PRAGMA synchronous = full")
        connection.execute("PRAGMA secure_delete = on")  # what is forgotten is overwritten, and not only unlinked
        # A file may come from anywhere: nothing in it is run, and text in it may be no text.
        connection.execute("PRAGMA trusted_schema = off")
        connection.text_factory = _text
    except BaseException:
        connection.close()
        raise
    return connection


def write_back(connection: sqlite3.Connection) -> None:
    """Empty the log beside the file, which may contain deleted data; later, if it is in use now."""
    busy_timeout = _number(connection, "busy_timeout")
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
    finally:
        connection.execute(f"PRAGMA busy_timeout = {busy_timeout}")


def _text(written: bytes) -> str:
    return written.decode(errors="replace")


def prepare(connection: SqliteConnection, path: Path, *, busy_seconds: float) -> None:
    """Bring the schema up to date, whichever of several programs that open a new file at once comes first."""
    if is_frozen(path):
        _recognise(connection, path)
        if _number(connection, "user_version") < max(_migrations()):
            raise StoreError(f"{path} is read-only, and was written by an earlier Sparring", hint=_COPY)
        return
    with transaction(connection):
        _recognise(connection, path)
        known = _number(connection, "user_version")
        for version, statements in _migrations().items():
            if version > known:
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version}")
        if known < _COUNTED:
            for (batch,) in connection.execute("SELECT id FROM batches").fetchall():
                aggregates.rebuild(connection, batch)
    _write_ahead(connection, time.monotonic() + busy_seconds)


@contextmanager
def transaction(connection: SqliteConnection) -> Iterator[None]:
    """All of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        aggregates.flush(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.changes.clear()
        # A full disk has ended the transaction already, or ends the attempt to end it.
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


class Unsynced:
    """A write that survives a kill of the process, but not always a failure of the machine."""

    def __init__(self, write: Callable[[SqliteConnection], Any]) -> None:
        self.write = write

    def __call__(self, connection: SqliteConnection) -> Any:
        return self.write(connection)


def commit(connection: SqliteConnection, writes: list[Callable[[SqliteConnection], Any]]) -> list[Any]:
    """Run the writes in one transaction, or each in its own if one of them fails.

    Results and exceptions of the writes are returned in order.
    """
    synced = not all(isinstance(each, Unsynced) for each in writes)
    if synced is not connection.synced:
        connection.execute(f"PRAGMA synchronous = {'full' if synced else 'normal'}")
        connection.synced = synced
    try:
        with transaction(connection):
            return [write(connection) for write in writes]
    except sqlite3.OperationalError as error:
        return [error] * len(writes)  # a locked file or a full disk fails all writes alike
    except Exception as error:  # noqa: BLE001 - it goes to the caller of this write
        if len(writes) == 1:
            return [error]
    return [outcome for write in writes for outcome in commit(connection, [write])]


@contextmanager
def moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Read inside this block from one snapshot, even while other processes write."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # a failing disk has ended it already
            connection.execute("ROLLBACK")


def _recognise(connection: sqlite3.Connection, path: Path) -> None:
    version, newest = _number(connection, "user_version"), max(_migrations())
    if not version and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        connection.execute(f"PRAGMA application_id = {_OURS}")
    elif _number(connection, "application_id") != _OURS:
        raise InputError(f"{path} is another program's database, not a Sparring store", hint=_ELSEWHERE)
    elif version > newest:
        raise StoreError(
            f"{path} was written by a newer Sparring (schema {version}; this one knows up to {newest})",
            hint="pip install --upgrade sparring",
        )
    elif connection.execute(_FOREIGN).fetchone()[0]:
        raise InputError(f"{path} has views or triggers, which no Sparring store has", hint=_ELSEWHERE)


def _write_ahead(connection: sqlite3.Connection, deadline: float) -> None:
    while True:
        try:
            connection.execute("PRAGMA journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait for others here, as it does elsewhere; only a new file can meet this.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


@cache
def _migrations() -> dict[int, list[str]]:
    scripts = sorted(
        (file for file in (files("sparring.store.sqlite") / "schema").iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    return {int(file.name.removesuffix(".sql")): _statements(file.read_text()) for file in scripts}


def _statements(script: str) -> list[str]:
    statements, lines = [], ""
    for line in script.splitlines(keepends=True):
        lines += line
        if sqlite3.complete_statement(lines):
            statements.append(lines)
            lines = ""
    return statements
