"""Connects to PostgreSQL, and brings the schema up to date."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from decimal import Decimal
from functools import cache
from importlib.resources import files
from random import randrange
from typing import Any

import psycopg
from psycopg.types.numeric import NumericBinaryLoader

from sparring.core.errors import InputError, StoreError
from sparring.store.sql import aggregates
from sparring.store.sql.connection import Changes, SqlConnection, SqlDialect, readable

CHANNEL = "sparring_events"
"""Notified with the id of a batch when the transaction that logged its event ends."""

_KEY = "hashtextextended(current_schema() || ' {} ' || ?, 0)"
_EVENTS = _KEY.format("events")
_PLAYED = _KEY.format("played")

DIALECT = SqlDialect(
    document="convert_from({0}, 'UTF8')::json",
    texts="json_array_elements_text({0}::json) AS each(value)",
    object="json_each_text({0}) AS each",
    objects="json_each({0}) AS each",
    contains="strpos({0}, ?) > 0",
    exclusive="LOCK TABLE cases, recordings, rubrics, prompts, last_runs IN SHARE ROW EXCLUSIVE MODE",
    one_by_one=f"SELECT pg_advisory_xact_lock({_EVENTS.replace('?', ':batch')}), pg_notify('{CHANNEL}', :batch)",
)

_PLACEHOLDER = re.compile(r"\?|(?<!:):([a-z_]+)")

_NOTE = """
    INSERT INTO writers (id, committed) VALUES (?, ?) ON CONFLICT (id) DO UPDATE
    SET committed = excluded.committed, written = now() WHERE writers.committed < excluded.committed
"""

_PARTS = 16
"""Parts of each aggregate, so that few writers wait for each other."""

_COUNTED = "016.sql"
"""The first schema with aggregates."""

_SILENT_MILLISECONDS = 5_000
"""Silence inside a transaction after which the server ends it, so that a stopped process holds no locks."""


class _NumberLoader(NumericBinaryLoader):  # type: ignore[misc] # the driver is not there for the type checker
    """Reads sums as the numbers that SQLite gives."""

    def load(self, data: Any) -> Any:
        number: Decimal = super().load(data)
        return int(number) if number == number.to_integral_value() else float(number)


class PostgresConnection:
    """A connection that, like SQLite's, runs a statement outside of a transaction as one of its own."""

    dialect = DIALECT

    def __init__(self, url: str) -> None:
        self.raw = psycopg.connect(url, autocommit=True)
        self.raw.adapters.register_loader("numeric", _NumberLoader)
        self.changes, self.part = Changes(), randrange(_PARTS)
        self.raw.execute(f"SET idle_in_transaction_session_timeout = {_SILENT_MILLISECONDS}")

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        return self.raw.cursor(binary=True).execute(_translated(sql), _storable(parameters) or None)

    def stream(self, sql: str, /) -> Any:
        return closing(self.raw.cursor("stream", binary=True).execute(sql))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any:
        self.raw.cursor().executemany(_translated(sql), map(_storable, parameters))

    @contextmanager
    def transaction(self, how: str = "") -> Iterator[None]:
        """All of it or nothing."""
        self.execute(f"BEGIN {how}")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            self.changes.clear()
            with suppress(psycopg.Error):
                self.execute("ROLLBACK")
            raise

    @property
    def usable(self) -> bool:
        """True unless the server, or the way to it, is gone."""
        return not self.raw.closed and not self.raw.broken


@cache
def _translated(sql: str) -> str:
    sql = sql.replace("%", "%%").replace("CROSS JOIN", "JOIN").replace(" AS BLOB)", " AS BYTEA)")
    return _PLACEHOLDER.sub(lambda found: f"%({found[1]})s" if found[1] else "%s", sql)


def _storable(parameters: Any) -> Any:
    """Return parameters without NUL, which PostgreSQL keeps in no text."""
    if isinstance(parameters, Mapping):
        return {name: _text(value) for name, value in parameters.items()}
    return tuple(map(_text, parameters))


def _text(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise every failure of the database inside this block as a StoreError of one sentence."""
    try:
        with readable(place):
            yield
    except psycopg.errors.DataError as error:
        raise InputError(f"{place} can hold no such name or number: {first_line(error)}") from error
    except psycopg.OperationalError as error:
        hint = "is the server running, and may this machine reach it? --store names it"
        raise StoreError(f"{place} cannot be reached: {first_line(error)}", hint=hint) from error
    except psycopg.Error as error:
        raise StoreError(f"{place} could not be used: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def prepare(connection: PostgresConnection, place: str, *, must_exist: bool) -> None:
    """Bring the schema up to date; of several programs that open a new database at once, one does."""
    migrations = _migrations()
    with connection.transaction():
        connection.execute(f"SELECT pg_advisory_xact_lock({_KEY.format('schema')})", ("",))
        (there,) = connection.execute("SELECT to_regclass('sparring_schema') IS NOT NULL").fetchone()
        if must_exist and not there:
            raise InputError(f"there is no store in {place}", hint="`sparring run --store` makes one")
        if not there:
            connection.execute("CREATE TABLE sparring_schema (name TEXT PRIMARY KEY)")
        known = {name for (name,) in connection.execute("SELECT name FROM sparring_schema")}
        if newer := known - migrations.keys():
            raise StoreError(
                f"{place} was written by a newer Sparring (schema {max(newer)})", hint="pip install --upgrade sparring"
            )
        for name in sorted(migrations.keys() - known):
            connection.raw.execute(migrations[name])
            connection.execute("INSERT INTO sparring_schema VALUES (?)", (name,))
        if _COUNTED not in known:
            for (batch,) in connection.execute("SELECT id FROM batches").fetchall():
                aggregates.rebuild(connection, batch)
            aggregates.flush(connection)
        if not connection.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL").fetchone()[0]:
            connection.raw.execute((files("procrastinate") / "sql" / "schema.sql").read_text())


def _migrations() -> dict[str, str]:
    folder = files("sparring.store.postgres") / "schema"
    return {file.name: file.read_text() for file in folder.iterdir() if file.name.endswith(".sql")}


def is_new(connection: PostgresConnection, writer: str, group: int) -> bool:
    """Note a group of writes at its beginning; return False if the writer has committed it already.

    While an earlier attempt at it is still being committed, this waits for the outcome.
    """
    if group == 1:
        connection.execute("DELETE FROM writers WHERE written < now() - INTERVAL '1 day'")
    return bool(connection.execute(_NOTE, (writer, group)).rowcount)


def continue_numbers(connection: SqlConnection) -> None:
    """Let the numbers of new rows follow those that were written with their numbers."""
    numbered = {"cases": "key", "recordings": "key", "events": "id", "dropped": "id", "saved_prompts": "id"}
    for table, column in numbered.items():
        connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), greatest(max({column}), 1)) FROM {table}"
        )


def is_played(connection: PostgresConnection, batch: str) -> bool:
    """Return True if a session holds the lock of a batch."""
    query = f"""
        SELECT EXISTS (SELECT 1 FROM pg_locks, (SELECT {_PLAYED} AS key) AS wanted
            WHERE locktype = 'advisory' AND objsubid = 1 AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND (CAST(classid AS BIGINT) << 32) | CAST(objid AS BIGINT) = key)
    """
    return bool(connection.execute(query, (batch,)).fetchone()[0])


def take(connection: PostgresConnection, batch: str) -> bool:
    """Take the lock of a batch while the connection lives; return False if another session has it."""
    return bool(connection.execute(f"SELECT pg_try_advisory_lock({_PLAYED})", (batch,)).fetchone()[0])


def let_go(connection: PostgresConnection) -> None:
    """Release the locks of a session now: the server notices some time later that a connection was closed."""
    with suppress(psycopg.Error):  # the session is gone, and its locks with it
        connection.execute("SELECT pg_advisory_unlock_all()")
