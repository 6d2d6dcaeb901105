"""Counts and sums over batches, written in the transactions that change the data.

Writes note their changes in the `changes` of their connection, and the end of a transaction writes them once. Money is
counted in whole picodollars, so that sums do not depend on their order.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from sparring.core.listing import RowTotals
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.store.derived import Block
from sparring.store.sql.connection import SqlConnection, SqlDialect, upsert, value_of

Kind = Literal["conversations", "usage", "rows", "revision"]
"""Conversations by their ending; usage of all attempts and judges; figures of rows of lists; number of changes."""

_MONEY = 1_000_000_000_000

_TOGETHER = 64
"""Cases whose changes are counted together."""

_BLOCK = 2048
"""Maximum number of conversations of a block, except for a case with more."""

_ADD = """
    INSERT INTO aggregates (batch, kind, key, part, amount) SELECT id, ?, ?, ?, ? FROM batches WHERE id = ?
    ON CONFLICT (batch, kind, key, part) DO UPDATE SET amount = aggregates.amount + excluded.amount
"""
_BY = ("ending", "outcome", "first", "blame", "cause", "score")
_GROUPS = """
    SELECT {by}, failed, count(*), sum(tokens),
        sum(CAST(round(cost * 1000000000000) AS BIGINT)), count(*) - count(cost)
    FROM listed WHERE batch = ?{place} GROUP BY {by}, failed
"""
_COMPUTED = upsert("computed (batch, kind)", "hash", "document")


def note(connection: SqlConnection, batch: str, kind: Kind, figures: Mapping[str, int], sign: int = 1) -> None:
    """Note that figures of a batch change by these."""
    for key, amount in figures.items():
        connection.changes[batch, kind, key] += sign * amount


def touch(connection: SqlConnection, batch: str, position: int | None = None) -> None:
    """Note that results of a batch may have changed, or those of the case at a position."""
    connection.changes[batch, "revision", "" if position is None else str(position // _TOGETHER)] += 1


def forget_rows(connection: SqlConnection, batch: str, *place: int) -> None:
    """Note the rows of a batch, or the one at a place, before they go."""
    note(connection, batch, "rows", _rows(connection, batch, *place), -1)


def note_row(connection: SqlConnection, batch: str, row: Mapping[str, Any]) -> None:
    """Note a row that is written, by its columns."""
    cost = row["cost"]
    money = (0, 1) if cost is None else (round(cost * _MONEY), 0)
    note(connection, batch, "rows", _figures([row[each] for each in _BY], row["failed"], 1, row["tokens"], *money))


def note_usage(connection: SqlConnection, batch: str, usages: Iterable[Usage]) -> None:
    """Note the usage of a conversation or a verdict that is written."""
    for usage in usages:
        figures = dict(usage)
        note(connection, batch, "usage", {**figures, "cost": round(figures["cost"] * _MONEY)})


def flush(connection: SqlConnection) -> None:
    """Write the noted changes at the end of a transaction."""
    changes = sorted((place, amount) for place, amount in connection.changes.items() if amount)
    connection.changes.clear()
    if changes:
        part = connection.part
        connection.executemany(_ADD, ((kind, key, part, amount, batch) for (batch, kind, key), amount in changes))


def read(connection: SqlConnection, batch: str, kind: Kind) -> dict[str, int]:
    """Return the figures of a batch."""
    query = "SELECT key, CAST(sum(amount) AS BIGINT) FROM aggregates WHERE batch = ? AND kind = ? GROUP BY key"
    return {key: amount for key, amount in connection.execute(query, (batch, kind)) if amount}


def count(connection: SqlConnection, batch: str) -> dict[tuple[Kind, str], int]:
    """Return the figures of a batch by reading everything that they count."""
    endings = connection.execute("SELECT ending, count(*) FROM conversations WHERE batch = ? GROUP BY 1", (batch,))
    usage = connection.execute(_usage(connection.dialect), {"batch": batch}).fetchone()
    counted: dict[Kind, Mapping[str, int]] = {
        "conversations": {ending or "": number for ending, number in endings},
        "usage": dict(zip(Usage.model_fields, usage, strict=True)),
        "rows": _rows(connection, batch),
    }
    return {(kind, key): n for kind, figures in counted.items() for key, n in figures.items() if n}


def rebuild(connection: SqlConnection, batch: str) -> int:
    """Recount the figures of a batch, and drop computed results. Return how many figures were wrong."""
    kinds: tuple[Kind, ...] = ("conversations", "usage", "rows")
    stored = {(kind, key): n for kind in kinds for key, n in read(connection, batch, kind).items()}
    counted = count(connection, batch)
    connection.execute("DELETE FROM aggregates WHERE batch = ? AND kind <> 'revision'", (batch,))
    connection.execute("DELETE FROM computed WHERE batch = ?", (batch,))
    for (kind, key), amount in counted.items():
        note(connection, batch, kind, {key: amount})
    return len(stored.items() ^ counted.items())


def progress(connection: SqlConnection, batch: str) -> dict[str | None, int]:
    """Return the number of conversations of a batch by their endings."""
    return {ending or None: number for ending, number in read(connection, batch, "conversations").items()}


def consumed(connection: SqlConnection, batch: str) -> Usage:
    """Return the usage of a batch, replaced and dropped conversations included."""
    figures = Counter(read(connection, batch, "usage"))
    dropped = connection.execute(_dropped(connection.dialect), {"batch": batch}).fetchone()
    figures.update(dict(zip(Usage.model_fields, dropped, strict=True)))
    return Usage(**{**figures, "cost": figures["cost"] / _MONEY})


def totals(connection: SqlConnection, batch: str) -> RowTotals:
    """Return the totals of the rows of a batch."""
    figures = read(connection, batch, "rows")

    def by(name: str) -> dict[str, int]:
        return {key.removeprefix(name): n for key, n in figures.items() if key.startswith(name)}

    return RowTotals(
        conversations=figures.get("conversations", 0),
        tokens=figures.get("tokens", 0),
        cost=figures.get("cost", 0) / _MONEY,
        unpriced=figures.get("unpriced", 0),
        outcomes={Outcome(outcome): n for outcome, n in by("first/").items()},
        scores={float(score): n for score, n in by("score/").items()},
        failed=by("failed/"),
    )


def state(connection: SqlConnection, batch: str) -> str:
    """Return a hash of the stored data of a batch and of the earlier ones of its name."""
    query = """
        SELECT id, run, (SELECT sum(amount) FROM aggregates WHERE batch = id AND kind = 'revision') FROM batches
        WHERE id = :batch OR (id < :batch AND name <> '' AND name = (SELECT name FROM batches WHERE id = :batch))
        ORDER BY id
    """
    found = [(id, run, int(amount or 0)) for id, run, amount in connection.execute(query, {"batch": batch})]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def blocks(connection: SqlConnection, batch: str) -> list[Block]:
    """Return the blocks of a batch in their order."""
    query = """
        SELECT repeats, (SELECT coalesce(max(position) + 1, 0) FROM batch_cases WHERE batch = batches.id)
        FROM batches WHERE id = ?
    """
    repeats, cases = connection.execute(query, (batch,)).fetchone() or (1, 0)
    changed = read(connection, batch, "revision")
    counts = {int(key): n for key, n in changed.items() if key}
    size = max(1, _BLOCK // (_TOGETHER * repeats))
    found = []
    for first in range(0, cases, size * _TOGETHER):
        revision = [counts.get(first // _TOGETHER + n, 0) for n in range(size)]
        found.append(Block(first, min(first + size * _TOGETHER, cases), sum(revision)))
    return found


def stored_between(connection: SqlConnection, batch: str, first: int, stop: int) -> int:
    """Return the number of stored conversations of the cases from a position up to another one."""
    query = "SELECT count(*) FROM conversations WHERE batch = ? AND position >= ? AND position < ?"
    return int(connection.execute(query, (batch, first, stop)).fetchone()[0])


def computed(connection: SqlConnection, batch: str, kind: str, hash: str) -> bytes | None:
    """Return a computed result of a batch, if it was computed from the data with this hash."""
    query = "SELECT CAST(document AS BLOB) FROM computed WHERE batch = ? AND kind = ? AND hash = ?"
    return value_of(connection, query, (batch, kind, hash), bytes)


def keep_computed(connection: SqlConnection, batch: str, kind: str, hash: str, document: bytes) -> None:
    """Write a computed result of a batch, replacing an earlier one of this kind."""
    if connection.execute("SELECT 1 FROM batches WHERE id = ?", (batch,)).fetchone():
        connection.execute(_COMPUTED, (batch, kind, hash, document))


def _rows(connection: SqlConnection, batch: str, *place: int) -> Counter[str]:
    """Return figures of the rows of a batch, or of the one at a place."""
    figures = Counter[str]()
    query = _GROUPS.format(by=", ".join(_BY), place=" AND position = ? AND repeat = ?" if place else "")
    for row in connection.execute(query, (batch, *place)):
        *values, failed, n, tokens, cost, unpriced = row
        figures.update(_figures(values, failed, n, tokens, cost or 0, unpriced))
    return figures


def _figures(values: Sequence[Any], failed: str, n: int, tokens: int, cost: int, unpriced: int) -> dict[str, int]:
    """Return the figures of rows with equal values: their number, and sums over them."""
    figures = {"conversations": n, "tokens": tokens, "cost": cost, "unpriced": unpriced}
    figures.update({f"{name}/{value}": n for name, value in zip(_BY, values, strict=True) if value is not None})
    if values[_BY.index("outcome")] == Outcome.FAILED:
        figures.update({f"failed/{check}": n for check in json.loads(failed)})
    return figures


@cache
def _usage(dialect: SqlDialect) -> str:
    document = dialect.document.format("document")
    return f"""
        WITH kept(recording) AS (
            SELECT recording FROM conversations WHERE batch = :batch
            UNION ALL SELECT recording FROM replaced WHERE batch = :batch
        ), usages(usage) AS (
            SELECT value FROM kept JOIN recordings ON recordings.key = recording,
                {dialect.objects.format(f"{document} -> 'usage'")}
            UNION ALL SELECT {document} -> 'usage' FROM kept JOIN verdicts USING (recording)
        )
        SELECT {_SUMS} FROM usages
    """


@cache
def _dropped(dialect: SqlDialect) -> str:
    document = dialect.document.format("document")
    return f"SELECT {_SUMS} FROM (SELECT {document} AS usage FROM dropped WHERE batch = :batch) AS usages"


def _sum(name: str) -> str:
    value = f"CAST(usage ->> '{name}' AS {'DOUBLE PRECISION' if name == 'cost' else 'BIGINT'})"
    return f"coalesce(sum({f'CAST(round({value} * {_MONEY}) AS BIGINT)' if name == 'cost' else value}), 0)"


_SUMS = ", ".join(map(_sum, Usage.model_fields))
