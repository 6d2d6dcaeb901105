"""Rows of conversations in the database, with everything that a list shows."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import orjson

from sparring.core.conversation import Conversation, conversation_id
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals
from sparring.core.outcome import Decision, Outcome
from sparring.core.value import to_json
from sparring.store.derived import StoredResult
from sparring.store.sql import aggregates, reads
from sparring.store.sql.connection import SqlConnection, SqlDialect, marks, upsert
from sparring.store.sql.reads import Place

_COLUMNS = (
    *("batch", "position", "repeat", "ending", "outcome", "first", "blame", "decision"),
    *("score", "turns", "seconds", "tokens", "cost", "failed", "attempt", "cause", "result"),
)
_ROW = f"INSERT INTO listed ({', '.join(_COLUMNS)}) VALUES ({marks(_COLUMNS)})"
_WORDS = upsert("words (recording)", "words")
_FIRST = """
    SELECT outcome FROM replaced WHERE batch = ? AND position = ? AND repeat = ? AND outcome <> ?
    ORDER BY attempt LIMIT 1
"""
_LACKING = """
    AND position < ? AND NOT EXISTS (SELECT 1 FROM listed WHERE listed.batch = conversations.batch
        AND listed.position = conversations.position AND listed.repeat = conversations.repeat)
"""
_SHOWN = "ending, decision, first, score, turns, seconds, tokens, cost, failed, attempt"
_CAUSES = "SELECT DISTINCT cause FROM listed WHERE batch = ? AND cause IS NOT NULL"
_ORDERS = {"case": "position", "outcome": "first"}


def keep(connection: SqlConnection, place: tuple[str, int, int, int], row: ConversationRow) -> None:
    """Write the row of an attempt, unless another attempt is stored.

    `place` is (batch, position, repeat, attempt).
    """
    *slot, attempt = place
    query = "SELECT attempt FROM conversations WHERE batch = ? AND position = ? AND repeat = ?"
    if connection.execute(query, slot).fetchone() == (attempt,):
        write(connection, place, row)


def write(connection: SqlConnection, place: tuple[str, int, int, int], row: ConversationRow) -> None:
    """Write the row of the attempt stored at this place, if it has none."""
    failed = json.dumps(row.failed, ensure_ascii=False) if row.failed else "[]"
    figures = (row.score, row.turns, row.seconds, row.tokens, row.cost)
    first = None if place[3] == 1 else connection.execute(_FIRST, (*place[:3], Outcome.VOID)).fetchone()
    decided = (row.outcome, first[0] if first else row.outcome, row.blame, to_json(row.decision))
    cause = row.decision.cause.id if row.decision.cause and decided[1] == row.outcome else None
    result = to_json(row.result) if row.result else None
    values = (*place[:3], row.ending, *decided, *figures, _text(failed), place[3], cause, result)
    connection.execute(_ROW, values)
    aggregates.note_row(connection, place[0], dict(zip(_COLUMNS, values, strict=True)))


def index(connection: SqlConnection, recording: int, words: str) -> None:
    """Write the words by which a recording is found."""
    connection.execute(_WORDS, (recording, _text(words)))


def forget(connection: SqlConnection, batch: str, *place: int) -> None:
    """Delete the rows of a batch, or the one at a place, because they are outdated."""
    aggregates.forget_rows(connection, batch, *place)
    condition = " AND position = ? AND repeat = ?" if place else ""
    connection.execute(f"DELETE FROM listed WHERE batch = ?{condition}", (batch, *place))


def missing_rows(
    connection: SqlConnection, batch: str, after: Place, stop: int, limit: int
) -> list[tuple[Place, Conversation | None]]:
    """Return the next conversations without a row; None where one cannot be read."""
    return [(place, read) for place, _, read in reads.some(connection, batch, _LACKING, (stop,), after, limit)]


def search(
    connection: SqlConnection, batch: str, wanted: ConversationQuery, *, offset: int, limit: int
) -> tuple[int, list[ConversationRow]]:
    """Return the number of matching rows and a page of them."""
    batch = reads.resolve(connection, batch)
    conditions, values = _conditions(connection.dialect, batch, wanted)
    total = _counted(connection, batch, wanted)
    if total is None:
        (total,) = connection.execute(f"SELECT count(*) FROM listed WHERE {conditions}", values).fetchone()
    way = "DESC" if wanted.descending else "ASC"
    column = _ORDERS.get(wanted.order, wanted.order)
    order = f"ORDER BY sorted {way} NULLS LAST, position {way}, repeat {way}"
    query = f"""
        SELECT id, repeat, {_SHOWN} FROM
            (SELECT batch, position, repeat, {column} AS sorted FROM listed
             WHERE {conditions} {order} LIMIT ? OFFSET ?) AS page
            JOIN listed USING (batch, position, repeat) JOIN batch_cases USING (batch, position) {order}
    """
    found = connection.execute(query, (*values, limit, offset)).fetchall()
    return total, [_row(*row) for row in found]


def _counted(connection: SqlConnection, batch: str, wanted: ConversationQuery) -> int | None:
    """Return the number of rows that match, if it is one of the figures that are counted."""
    filters = {"first": wanted.outcomes, "ending": wanted.endings, "score": tuple(map(float, wanted.scores))}
    filters |= {"cause": (wanted.cause,), "blame": (wanted.blame,)}
    keys = [f"{name}/{value}" for name, values in filters.items() for value in values if value not in ("", None)]
    if wanted.check or wanted.text or wanted.tag or wanted.case or len(keys) > 1:
        return None
    return aggregates.read(connection, batch, "rows").get(keys[0] if keys else "conversations", 0)


def decisions(
    connection: SqlConnection, wanted: str, values: Sequence[Any]
) -> dict[Place, tuple[Decision, Outcome | None]]:
    """Return decisions by place, each with the outcome of the attempt that counts if that is another one.

    `wanted` is a table expression with the places, and `values` its values and the batch.
    """
    found = connection.execute(
        f"{wanted} SELECT position, repeat, first, CAST(decision AS BLOB)"
        " FROM wanted CROSS JOIN listed USING (position, repeat) WHERE batch = ?",
        values,
    )
    return {(position, repeat): _decided(counted, document) for position, repeat, counted, document in found}


@lru_cache(maxsize=1024)
def _decided(first: str, document: bytes) -> tuple[Decision, Outcome | None]:
    decision = Decision.model_validate_json(document)
    return decision, None if first == decision.outcome else Outcome(first)


def lacks_results(connection: SqlConnection, batch: str) -> bool:
    """Return True if a stored conversation has no row, or one of an earlier version without its result."""
    query = """
        SELECT EXISTS (SELECT 1 FROM conversations LEFT JOIN listed USING (batch, position, repeat)
            WHERE batch = ? AND result IS NULL)
    """
    return bool(connection.execute(query, (batch,)).fetchone()[0])


def stored_results(connection: SqlConnection, batch: str, after: Place, limit: int) -> list[tuple[Place, StoredResult]]:
    """Return the results of the next conversations after a place."""
    query = """
        SELECT position, repeat, id, tags, ending, score, turns, seconds, listed.attempt, first,
            CAST(decision AS BLOB), CAST(result AS BLOB)
        FROM listed CROSS JOIN batch_cases USING (batch, position)
        WHERE batch = ? AND position >= ? AND (position, repeat) > (?, ?) ORDER BY position, repeat LIMIT ?
    """
    rows = connection.execute(query, (batch, after[0], *after, limit))
    return [
        (
            (position, repeat),
            StoredResult._make(
                (
                    position,
                    repeat,
                    case,
                    orjson.loads(tags),
                    *row,
                    *_decided(first, bytes(decision)),
                    orjson.loads(result),
                )
            ),
        )
        for position, repeat, case, tags, *row, first, decision, result in rows
    ]


def newest(connection: SqlConnection, batch: str, *, limit: int) -> list[ConversationRow]:
    """Return the rows that were stored last, by walking back through all recordings."""
    shown = ", ".join(f"listed.{name}" for name in _SHOWN.split(", "))
    query = f"""
        SELECT id, conversations.repeat, {shown} FROM conversations {connection.dialect.backwards}
            CROSS JOIN listed USING (batch, position, repeat) CROSS JOIN batch_cases USING (batch, position)
        WHERE conversations.batch || '' = ? ORDER BY conversations.recording DESC LIMIT ?
    """
    return [_row(*row) for row in connection.execute(query, (reads.resolve(connection, batch), limit))]


def totals(connection: SqlConnection, batch: str) -> RowTotals:
    """Return the totals of the rows of a batch."""
    return aggregates.totals(connection, reads.resolve(connection, batch))


def first_causes(connection: SqlConnection, batches: Sequence[str]) -> dict[str, str]:
    """Return the causes of batches by id, each with the first of these batches that has it."""
    found: dict[str, str] = {}
    for batch in batches:
        for (cause,) in connection.execute(_CAUSES, (batch,)):
            found.setdefault(cause, batch)
    return found


def _conditions(dialect: SqlDialect, batch: str, wanted: ConversationQuery) -> tuple[str, list[Any]]:
    conditions, values = ["batch = ?"], list[Any]([batch])
    for column, allowed in (("ending", wanted.endings), ("first", wanted.outcomes), ("score", wanted.scores)):
        if allowed:
            conditions.append(f"{column} IN ({marks(allowed)})")
            values += allowed
    if wanted.check:
        conditions.append(f"failed <> '[]' AND EXISTS (SELECT 1 FROM {dialect.texts.format('failed')} WHERE value = ?)")
        values.append(_text(wanted.check))
    for column, value in (("cause", wanted.cause), ("blame", wanted.blame)):
        if value:
            conditions.append(f"{column} = ?")
            values.append(_text(value))
    if wanted.text:
        conditions.append(
            "(position, repeat) IN (SELECT position, repeat FROM conversations JOIN words USING (recording)"
            f" WHERE batch = ? AND {dialect.contains.format('words')})"
        )
        values += [batch, _text(wanted.text.casefold())]
    if wanted.tag:
        conditions.append(
            "position IN (SELECT position FROM batch_cases WHERE batch = ?"
            f" AND EXISTS (SELECT 1 FROM {dialect.texts.format('tags')} WHERE value = ?))"
        )
        values += [batch, _text(wanted.tag)]
    if wanted.case:
        conditions.append("position IN (SELECT position FROM batch_cases WHERE batch = ? AND substr(id, 1, ?) = ?)")
        values += [batch, len(wanted.case), _text(wanted.case)]
    return " AND ".join(conditions), values


def _row(case: str, repeat: int, *row: Any) -> ConversationRow:
    fields = dict(zip(_SHOWN.split(", "), row, strict=True))
    read = {name: json.loads(fields[name]) for name in ("decision", "failed")}
    if fields["first"] == read["decision"]["outcome"]:
        read["first"] = None
    return ConversationRow.model_validate({"conversation": conversation_id(case, repeat), **fields, **read})


def _text(value: Any) -> Any:
    """Return text that UTF-8 can encode: a chatbot may send half of a surrogate pair."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode(errors="replace").decode()
