"""Rows of conversations in the SQLite file, with all that a list shows."""

import json
import sqlite3
from typing import Any

from sparring.core.conversation import Conversation, conversation_id
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals, shortened
from sparring.core.verdict import CheckOutcome
from sparring.store.sqlite import reads
from sparring.store.sqlite.reads import Place

_ROW = "INSERT OR REPLACE INTO briefs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LACKING = """
    AND NOT EXISTS (SELECT 1 FROM briefs WHERE briefs.batch = conversations.batch
        AND briefs.position = conversations.position AND briefs.repeat = conversations.repeat)
"""
_SHOWN = "ending, outcome, reason, score, turns, seconds, tokens, cost, failed, attempt"
_ORDERS = {"case": "position", **{name: name for name in ("outcome", "score", "ending", "turns", "seconds", "tokens")}}


def keep(connection: sqlite3.Connection, place: tuple[str, int, int, int], row: ConversationRow) -> None:
    """Write the row of the attempt at this place: batch, position, repeat and attempt; of another, write nothing."""
    *slot, attempt = place
    query = "SELECT attempt FROM conversations WHERE batch = ? AND position = ? AND repeat = ?"
    if connection.execute(query, slot).fetchone() == (attempt,):
        write(connection, place, row)


def write(connection: sqlite3.Connection, place: tuple[str, int, int, int], row: ConversationRow) -> None:
    """Write the row of the attempt that is stored at this place."""
    row = shortened(row)
    failed = json.dumps(row.failed, ensure_ascii=False) if row.failed else "[]"
    figures = (row.score, row.turns, row.seconds, row.tokens, row.cost)
    connection.execute(
        _ROW, (*place[:3], row.ending, row.outcome, _text(row.reason), *figures, _text(failed), place[3])
    )


def index(connection: sqlite3.Connection, recording: int, words: str) -> None:
    """Write the words by which a recording is found."""
    connection.execute("INSERT OR REPLACE INTO words VALUES (?, ?)", (recording, _text(words)))


def forget(connection: sqlite3.Connection, recording: int) -> None:
    """Delete the row of a recording, which no longer holds."""
    connection.execute(
        "DELETE FROM briefs WHERE (batch, position, repeat) IN"
        " (SELECT batch, position, repeat FROM conversations WHERE recording = ?)",
        (recording,),
    )


def missing_rows(
    connection: sqlite3.Connection, batch: str, after: Place, limit: int
) -> list[tuple[Place, Conversation | None]]:
    """Return the next conversations without a row; None where one cannot be read."""
    return [(place, read) for place, _, read in reads.some(connection, batch, _LACKING, (), after, limit)]


def search(
    connection: sqlite3.Connection, batch: str, wanted: ConversationQuery, offset: int, limit: int
) -> tuple[int, list[ConversationRow]]:
    """Return the number of matching rows and a page of them."""
    conditions, values = _conditions(batch, wanted)
    (total,) = connection.execute(f"SELECT count(*) FROM briefs WHERE {conditions}", values).fetchone()
    way = "DESC" if wanted.descending else "ASC"
    column = _ORDERS.get(wanted.order, wanted.order)
    order = f"ORDER BY {column} {way} NULLS LAST, position {way}, repeat {way}"
    query = f"""
        SELECT id, repeat, {_SHOWN} FROM
            (SELECT batch, position, repeat, {_SHOWN} FROM briefs WHERE {conditions} {order} LIMIT ? OFFSET ?)
            JOIN batch_cases USING (batch, position) {order}
    """
    rows = connection.execute(query, (*values, limit, offset)).fetchall()
    return total, [_brief(*row) for row in rows]


def newest(connection: sqlite3.Connection, batch: str, limit: int) -> list[ConversationRow]:
    """The last that were stored; `+` lets SQLite walk back through all recordings, where a batch that runs is last."""
    shown = ", ".join(f"briefs.{name}" for name in _SHOWN.split(", "))
    query = f"""
        SELECT id, conversations.repeat, {shown} FROM conversations INDEXED BY conversations_by_recording
            CROSS JOIN briefs USING (batch, position, repeat) CROSS JOIN batch_cases USING (batch, position)
        WHERE +conversations.batch = ? ORDER BY conversations.recording DESC LIMIT ?
    """
    return [_brief(*row) for row in connection.execute(query, (batch, limit))]


def totals(connection: sqlite3.Connection, batch: str) -> RowTotals:
    """Return the totals of the rows of a batch."""
    sums = connection.execute(
        "SELECT count(*), coalesce(sum(tokens), 0), coalesce(sum(cost), 0.0), coalesce(sum(cost IS NULL), 0)"
        " FROM briefs WHERE batch = ?",
        (batch,),
    ).fetchone()
    outcomes = connection.execute("SELECT outcome, count(*) FROM briefs WHERE batch = ? GROUP BY outcome", (batch,))
    scores = connection.execute(
        "SELECT score, count(*) FROM briefs WHERE batch = ? AND score IS NOT NULL GROUP BY score", (batch,)
    )
    failed = connection.execute(
        "SELECT value, count(*) FROM briefs, json_each(failed)"
        " WHERE batch = ? AND outcome = ? AND failed <> '[]' GROUP BY value",
        (batch, CheckOutcome.FAIL),
    )
    return RowTotals(
        conversations=sums[0],
        tokens=sums[1],
        cost=sums[2],
        unpriced=sums[3],
        outcomes=dict(outcomes.fetchall()),
        scores=dict(scores.fetchall()),
        failed=dict(failed.fetchall()),
    )


def _conditions(batch: str, wanted: ConversationQuery) -> tuple[str, list[Any]]:
    conditions, values = ["batch = ?"], list[Any]([batch])
    for column, allowed in (("ending", wanted.endings), ("outcome", wanted.outcomes), ("score", wanted.scores)):
        if allowed:
            conditions.append(f"{column} IN ({', '.join('?' * len(allowed))})")
            values += allowed
    if wanted.check:
        conditions.append("failed <> '[]' AND EXISTS (SELECT 1 FROM json_each(failed) WHERE value = ?)")
        values.append(_text(wanted.check))
    if wanted.text:
        conditions.append(
            "(position, repeat) IN (SELECT position, repeat FROM conversations JOIN words USING (recording)"
            " WHERE batch = ? AND instr(words, ?))"
        )
        values += [batch, _text(wanted.text.casefold())]
    if wanted.tag:
        conditions.append(
            "position IN (SELECT position FROM batch_cases WHERE batch = ?"
            " AND CASE WHEN json_valid(tags) THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?) END)"
        )
        values += [batch, _text(wanted.tag)]
    if wanted.case:
        conditions.append("position IN (SELECT position FROM batch_cases WHERE batch = ? AND substr(id, 1, ?) = ?)")
        values += [batch, len(wanted.case), _text(wanted.case)]
    return " AND ".join(conditions), values


def _brief(case: str, repeat: int, *row: Any) -> ConversationRow:
    names = _SHOWN.split(", ")
    fields = dict(zip(names, row, strict=True)) | {"failed": json.loads(row[names.index("failed")])}
    return ConversationRow.model_validate({"conversation": conversation_id(case, repeat), **fields})


def _text(value: Any) -> Any:
    """Text that UTF-8 can hold: a chatbot may say half of a surrogate pair."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode(errors="replace").decode()
