"""The connection that statements run over, and the words in which the dialects of SQL differ.

Statements are written once, in the SQL that SQLite and PostgreSQL share. A connection translates placeholders; the few
expressions that have no common spelling are in its `SqlDialect`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from sparring.core.errors import InputError, StoreError

T = TypeVar("T")

_EDITED = "was it edited by hand?"


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """Spellings of one database, each a template for `str.format`.

    `document` reads a stored document as JSON. The others with a column `value` are tables: `texts` of the texts in a
    JSON array, `object` of those in a JSON object, `objects` of its objects. `contains` finds a parameter in a text,
    and `backwards` names the index by which a table is read from its end. `exclusive` locks out writers
    for the rest of a transaction, and `one_by_one` those of events of a batch.
    """

    document: str
    texts: str
    object: str
    objects: str
    contains: str
    backwards: str = ""
    exclusive: str = ""
    one_by_one: str = ""


Changes = Counter[tuple[str, str, str]]
"""Changes of aggregates, by batch, kind and key."""


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...

    @property
    def description(self) -> Any: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class SqlConnection(Protocol):
    """A connection to either database.

    `changes` are those of aggregates in this transaction, written at its end; `part` separates writers that would
    otherwise wait for each other's rows.
    """

    changes: Changes
    part: int

    @property
    def dialect(self) -> SqlDialect: ...

    def execute(self, sql: str, parameters: Any = (), /) -> Rows: ...

    def stream(self, sql: str, /) -> AbstractContextManager[Rows]:
        """Run a query whose rows are read one after the other, and never all at once."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any: ...


def marks(values: Sequence[object]) -> str:
    """Return the placeholders for a list after IN; an empty list matches nothing."""
    return ", ".join("?" * len(values)) or "NULL"


def upsert(table: str, *columns: str) -> str:
    """Return the statement that inserts or replaces the row with this key, as in `jobs (batch)`."""
    name, _, key = table.removesuffix(")").partition(" (")
    written = [*key.split(", "), *columns]
    changed = ", ".join(f"{column} = excluded.{column}" for column in columns)
    return (
        f"INSERT INTO {name} ({', '.join(written)}) VALUES ({marks(written)})"
        f" ON CONFLICT ({key}) DO UPDATE SET {changed}"
    )


def value_of(connection: SqlConnection, query: str, parameters: Any, read: Callable[[Any], T]) -> T | None:
    """Return the first value of the row that a query finds, as `read` returns it; None without a row."""
    row = connection.execute(query, parameters).fetchone()
    return None if row is None else read(row[0])


@contextmanager
def readable(place: object) -> Iterator[None]:
    """Raise StoreError if a stored value cannot be read, and InputError if a value cannot be stored."""
    try:
        yield
    except (OverflowError, UnicodeEncodeError) as error:
        raise InputError(f"{place} can hold no such name or number: {error}") from error
    except ValidationError as error:
        raise StoreError(f"{place} holds a {error.title} that cannot be read", hint=_EDITED) from error
    except (TypeError, ValueError, LookupError) as error:
        raise StoreError(f"{place} holds something that cannot be read", hint=_EDITED) from error
