"""Reads from the database."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sparring.core.batch import Batch, BatchExecution, Progress
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.events import BatchStarted, ConversationEnded, Event
from sparring.core.judgements import Calibration
from sparring.core.outcome import Outcome
from sparring.core.prompts import Prompts, SavedPrompts
from sparring.core.usage import Usage
from sparring.core.value import with_shared_parts
from sparring.core.verdict import Verdict
from sparring.store import names
from sparring.store.derived import END
from sparring.store.sql import aggregates
from sparring.store.sql.connection import SqlConnection, SqlDialect, marks, value_of
from sparring.store.store import ConversationFilter

Place = tuple[int, int]
"""The place of a conversation in its batch: the position of its case, and its repeat."""

START: Place = (-1, 0)

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_PAGE = """
    SELECT position, repeat, id, CAST(recordings.document AS BLOB), CAST(cases.document AS BLOB)
    FROM conversations CROSS JOIN batch_cases USING (batch, position)
        CROSS JOIN recordings ON recordings.key = recording CROSS JOIN cases ON cases.key = recordings.case_key
    WHERE batch = ? AND batch_cases.position >= ? AND (position, repeat) > (?, ?)
"""
"""CROSS JOIN keeps SQLite to this order, which needs no sorting, so that a page costs only its rows. The first position
keeps PostgreSQL from reading all cases before it.

Editing a document by hand may leave text instead of a blob: CAST converts it.
"""


def resolve(connection: SqlConnection, which: str) -> str:
    """The id of the batch with this id or, being the newest, this name."""
    query = """
        SELECT id FROM batches WHERE :which = 'latest' OR id = :which OR name = :which
        ORDER BY id = :which DESC, id DESC LIMIT 1
    """
    row = connection.execute(query, {"which": which}).fetchone()
    if row is None:
        raise names.unknown_batch(which, known(connection))
    return str(row[0])


def namesakes(connection: SqlConnection, name: str) -> dict[str, int]:
    """The ids of the batches with this name and their numbers, the newest first."""
    return dict(
        connection.execute("SELECT id, run FROM batches WHERE name = ? AND name <> '' ORDER BY id DESC", (name,))
    )


def known(connection: SqlConnection) -> list[str]:
    """The names and ids of the newest batches."""
    rows = connection.execute("SELECT name, id FROM batches ORDER BY id DESC LIMIT 1000").fetchall()
    return [*dict.fromkeys(name for name, _ in rows if name), *(id for _, id in rows)]


def batch_header(connection: SqlConnection, id: str) -> Batch | None:
    """The batch with this id, without its cases."""
    row = connection.execute("SELECT CAST(document AS BLOB) FROM batches WHERE id = ?", (id,)).fetchone()
    return None if row is None else Batch.model_validate_json(_joined(row[0], "cases", b"[]"))


def found(connection: SqlConnection, which: str) -> Batch:
    """The batch, without its cases."""
    batch = batch_header(connection, resolve(connection, which))
    assert batch is not None  # what is read at once is as it was at one moment
    return batch


def batch(connection: SqlConnection, which: str) -> Batch:
    """The batch and its cases."""
    batch, seen = found(connection, which), dict[tuple[str, int], Any]()
    rows = connection.execute(
        "SELECT CAST(document AS BLOB) FROM batch_cases JOIN cases ON key = case_key WHERE batch = ? ORDER BY position",
        (batch.id,),
    )
    return batch.changed(
        cases=tuple(with_shared_parts(Case.model_validate_json(document), seen) for (document,) in rows)
    )


def cases(connection: SqlConnection, batch: str, first: int, stop: int) -> list[Case]:
    """The cases of a batch from a position to another one, which is left out."""
    query = """
        SELECT CAST(document AS BLOB) FROM batch_cases JOIN cases ON key = case_key
        WHERE batch = ? AND position >= ? AND position < ? ORDER BY position
    """
    return [Case.model_validate_json(document) for (document,) in connection.execute(query, (batch, first, stop))]


def batches(connection: SqlConnection, *, limit: int = 100, before: str = "") -> list[Batch]:
    """The newest, without their cases."""
    query = (
        "SELECT CAST(document AS BLOB) FROM batches WHERE :before = '' OR id < :before ORDER BY id DESC LIMIT :limit"
    )
    rows = connection.execute(query, {"before": before, "limit": limit})
    return [Batch.model_validate_json(_joined(document, "cases", b"[]")) for (document,) in rows]


def count(connection: SqlConnection) -> int:
    """Return the number of batches."""
    return int(connection.execute("SELECT count(*) FROM batches").fetchone()[0])


def progress(connection: SqlConnection, batch: str) -> Progress:
    """Return the progress of a batch."""
    id = resolve(connection, batch)
    selected = f"{connection.dialect.document.format('document')} -> 'selected'"
    query = (
        f"SELECT coalesce(nullif(json_array_length({selected}), 0), repeats *"
        " (SELECT coalesce(max(position) + 1, 0) FROM batch_cases WHERE batch = batches.id)) FROM batches WHERE id = ?"
    )
    (planned,) = connection.execute(query, (id,)).fetchone()
    failed = aggregates.read(connection, id, "rows").get(f"outcome/{Outcome.FAILED}", 0)
    endings = aggregates.progress(connection, id)
    return Progress.model_validate({"planned": planned, "endings": endings, "failed": failed})


def job(connection: SqlConnection, batch: str) -> BatchExecution | None:
    """Return the execution state of a batch, if it is stored."""
    query = "SELECT CAST(document AS BLOB) FROM jobs WHERE batch = ?"
    return value_of(connection, query, (batch,), BatchExecution.model_validate_json)


def waiting(connection: SqlConnection) -> list[BatchExecution]:
    """Return the executions that a server has to continue."""
    rows = connection.execute("SELECT CAST(document AS BLOB) FROM jobs WHERE waiting ORDER BY batch").fetchall()
    return [BatchExecution.model_validate_json(document) for (document,) in rows]


def stored(connection: SqlConnection, batch: str) -> set[tuple[str, int]]:
    """(case id, repeat) of what is there."""
    query = "SELECT id, repeat FROM conversations JOIN batch_cases USING (batch, position) WHERE batch = ?"
    return set(connection.execute(query, (resolve(connection, batch),)))


def consumed(connection: SqlConnection, batch: str) -> tuple[Usage, int]:
    """Return the usage of a batch, with replaced and dropped conversations, and its conversations."""
    batch = resolve(connection, batch)
    return aggregates.consumed(connection, batch), sum(aggregates.progress(connection, batch).values())


def unconfirmed(connection: SqlConnection, batch: str) -> int:
    """Return the number of calls that may have been made: under way now, or when a process was killed."""
    number = f"CAST({connection.dialect.document.format('document')} ->> 'unconfirmed' AS BIGINT)"
    query = f"SELECT coalesce(sum({number}), 0) FROM dropped WHERE batch = ? AND run IS NOT NULL"
    return int(connection.execute(query, (resolve(connection, batch),)).fetchone()[0])


def attempts(connection: SqlConnection, batch: str, id: str) -> list[Conversation]:
    """Every attempt at a conversation, in order; the last is the one that counts."""
    batch = resolve(connection, batch)
    rows = connection.execute(
        "SELECT CAST(recordings.document AS BLOB), CAST(cases.document AS BLOB) FROM replaced"
        " JOIN recordings ON recordings.key = recording JOIN cases ON cases.key = recordings.case_key"
        " WHERE batch = ? AND position = ? AND repeat = ? ORDER BY attempt",
        (batch, *place(connection, batch, id)),
    )
    return [*(_conversation(*row) for row in rows), conversation(connection, batch, id)]


def position(connection: SqlConnection, batch: str, case: str, repeat: int) -> int | None:
    """Return the position of a case in its batch, or None if the batch plans no such conversation."""
    query = """
        SELECT position FROM batch_cases JOIN batches ON batches.id = batch
        WHERE batch = ? AND batch_cases.id = ? AND repeats >= ?
    """
    return value_of(connection, query, (batch, case, repeat), int)


def recording(connection: SqlConnection, batch: str, position: int, repeat: int) -> int | None:
    """Return the key of the recording at this place, if any."""
    query = "SELECT recording FROM conversations WHERE batch = ? AND position = ? AND repeat = ?"
    return value_of(connection, query, (batch, position, repeat), int)


def place(connection: SqlConnection, batch: str, id: str) -> Place:
    """Return the place of a planned conversation in its batch; it need not be stored yet."""
    return places(connection, batch, [id])[0]


def places(connection: SqlConnection, batch: str, ids: Sequence[str]) -> list[Place]:
    """Return the places of planned conversations in their batch."""
    meant = [names.places(id) for id in ids]
    cases = list({case for each in meant for case, _ in each})
    rows = connection.execute(
        "SELECT batch_cases.id, position, repeats FROM batch_cases JOIN batches ON batches.id = batch"
        f" WHERE batch = ? AND batch_cases.id IN ({marks(cases)})",
        (batch, *cases),
    )
    planned = {case: (int(position), repeats) for case, position, repeats in rows}
    found = []
    for id, each in zip(ids, meant, strict=True):
        those = [(planned[case][0], repeat) for case, repeat in each if case in planned and planned[case][1] >= repeat]
        if not those:
            raise _unknown(connection, batch, id)
        found.append(those[0])
    return found


def case_position(connection: SqlConnection, batch: str, id: str) -> int:
    """Return the position of the case of a planned conversation among those of its batch."""
    return place(connection, batch, id)[0]


def page(
    connection: SqlConnection, batch: str, wanted: ConversationFilter, after: Place, limit: int, stop: int = END
) -> list[tuple[Place, str, Conversation | None]]:
    """The next conversations between a place and a position, with their cases' ids; None if unreadable."""
    conditions, values = _conditions(connection.dialect, wanted)
    return some(connection, batch, f"AND position < ? {conditions}", (stop, *values), after, limit)


def some(
    connection: SqlConnection, batch: str, conditions: str, values: Sequence[Any], after: Place, limit: int
) -> list[tuple[Place, str, Conversation | None]]:
    """Return the next conversations after a place that meet these conditions."""
    query = f"{_PAGE} {conditions} ORDER BY position, repeat LIMIT ?"
    rows = connection.execute(query, (batch, after[0], *after, *values, limit))
    return [((position, repeat), id, _read(*both)) for position, repeat, id, *both in rows]


def documents(connection: SqlConnection, batch: str, after: Place, limit: int) -> list[tuple[Place, bytes]]:
    """Return the next conversations after a place as JSON."""
    rows = connection.execute(f"{_PAGE} ORDER BY position, repeat LIMIT ?", (batch, after[0], *after, limit))
    return [((position, repeat), _joined(document, "case", case)) for position, repeat, _, document, case in rows]


def conversation(connection: SqlConnection, batch: str, id: str) -> Conversation:
    """One conversation."""
    batch = resolve(connection, batch)
    position, repeat = place(connection, batch, id)
    where = (batch, position, *START, position, repeat)
    if (row := connection.execute(f"{_PAGE} AND position = ? AND repeat = ?", where).fetchone()) is None:
        raise _unknown(connection, batch, id)
    return _conversation(*row[3:])


def judged(connection: SqlConnection, batch: str, judge: str) -> dict[tuple[str, int, str], int]:
    """Return how often a judge has decided each (case id, repeat, rubric)."""
    query = """
        SELECT id, repeat, rubric, count(*) FROM conversations CROSS JOIN batch_cases USING (batch, position)
            CROSS JOIN verdicts USING (recording)
        WHERE batch = ? AND judge = ? AND outcome <> 'error' GROUP BY id, repeat, rubric
    """
    found = connection.execute(query, (resolve(connection, batch), judge))
    return {(case, repeat, rubric): count for case, repeat, rubric, count in found}


def attempts_of_judge(connection: SqlConnection, recording: int, judge: str, rubric: str) -> tuple[int, int]:
    """Return how often a judge was asked about a recording, and how often it decided."""
    query = (
        "SELECT coalesce(max(attempt), 0), coalesce(sum(CASE WHEN outcome <> 'error' THEN 1 ELSE 0 END), 0)"
        " FROM verdicts WHERE recording = ? AND judge = ? AND rubric = ?"
    )
    given, decided = connection.execute(query, (recording, judge, rubric)).fetchone()
    return int(given), int(decided)


VerdictPlace = tuple[int, int, str, str, int]
"""The place of a verdict in its batch: that of the conversation, the judge, the rubric, and the attempt."""

FIRST: VerdictPlace = (*START, "", "", 0)


def verdicts(
    connection: SqlConnection, batch: str, after: VerdictPlace, only: Place | None, judge: str, limit: int
) -> list[tuple[VerdictPlace, Verdict | None]]:
    """The next verdicts after a place, of one conversation or judge or of all; None for unreadable ones."""
    condition = "" if only is None else "AND position = ? AND repeat = ?"
    query = f"""
        SELECT position, repeat, judge, rubric, verdicts.attempt, CAST(verdicts.document AS BLOB)
        FROM conversations CROSS JOIN verdicts USING (recording)
        WHERE batch = ? AND (position, repeat, judge, rubric, verdicts.attempt) > (?, ?, ?, ?, ?)
            AND ? IN ('', judge) {condition}
        ORDER BY position, repeat, judge, rubric, verdicts.attempt LIMIT ?
    """
    rows = connection.execute(query, (batch, *after, judge, *(only or ()), limit))
    return [((*place,), read_verdict(document)) for *place, document in rows]


def calibrations(connection: SqlConnection, judge: str) -> list[Calibration]:
    """The calibrations of a judge."""
    query = "SELECT CAST(document AS BLOB) FROM calibrations WHERE judge = ? ORDER BY rubric, population"
    return [Calibration.model_validate_json(document) for (document,) in connection.execute(query, (judge,))]


def rubric(connection: SqlConnection, hash: str) -> Rubric | None:
    """The rubric with this hash, if it is kept."""
    query = "SELECT CAST(document AS BLOB) FROM rubrics WHERE hash = ?"
    return value_of(connection, query, (hash,), Rubric.model_validate_json)


def saved_prompts(connection: SqlConnection, name: str = "") -> list[SavedPrompts]:
    """Return the saved versions, newest first, optionally of one name."""
    rows = connection.execute(
        "SELECT name, hash, created FROM saved_prompts WHERE ? IN ('', name) ORDER BY id DESC", (name,)
    )
    return [SavedPrompts(name=name, hash=hash, created=datetime.fromisoformat(created)) for name, hash, created in rows]


def prompts(connection: SqlConnection, hash: str = "") -> list[Prompts]:
    """The prompts whose hashes begin so."""
    rows = connection.execute(
        "SELECT CAST(document AS BLOB) FROM prompts WHERE substr(hash, 1, length(:hash)) = :hash ORDER BY hash",
        {"hash": hash},
    )
    return [Prompts.model_validate_json(document) for (document,) in rows]


def readable(document: bytes, case: bytes) -> bool:
    """Return True if a document can be read back once it is written."""
    return _read(document, case) is not None


def events(connection: SqlConnection, batch: str, after: int, limit: int) -> list[tuple[int, tuple[int, Event] | None]]:
    """Return the next events after one of them, each with its id; None for an unreadable one."""
    rows = connection.execute(
        "SELECT events.id, CAST(events.document AS BLOB), CAST(recordings.document AS BLOB),"
        " CAST(cases.document AS BLOB) FROM events"
        " LEFT JOIN recordings ON recordings.key = recording LEFT JOIN cases ON cases.key = recordings.case_key"
        " WHERE events.batch = ? AND events.id > ? ORDER BY events.id LIMIT ?",
        (batch, after, limit),
    ).fetchall()
    read = ((id, _event(connection, batch, document, *ended)) for id, document, *ended in rows)
    return [(id, None if event is None else (id, event)) for id, event in read]


def _event(connection: SqlConnection, id: str, document: bytes | None, *ended: bytes | None) -> Event | None:
    if document is None:
        conversation = _read(*ended)
        return None if conversation is None else ConversationEnded(conversation=conversation)
    with suppress(ValidationError):
        event = _EVENT.validate_json(document)
        if not isinstance(event, BatchStarted):
            return event
        return event.model_copy(update={"batch": found(connection, id)})
    return None


def _conditions(dialect: SqlDialect, wanted: ConversationFilter) -> tuple[str, list[Any]]:
    conditions, values = "", list[Any]()
    if wanted.only is not None:
        conditions += f" AND ending IN ({marks(tuple(wanted.only))})"
        values += sorted(wanted.only)
    if wanted.tag:
        conditions += f" AND EXISTS (SELECT 1 FROM {dialect.texts.format('tags')} WHERE value = ?)"
        values.append(wanted.tag)
    if wanted.case:
        conditions += " AND substr(batch_cases.id, 1, ?) = ?"
        values += [len(wanted.case), wanted.case]
    return conditions, values


def _read(*documents: bytes | None) -> Conversation | None:
    """Return the conversation in these documents, or None."""
    with suppress(ValidationError):
        return _conversation(*(document or b"" for document in documents))
    return None


def _conversation(document: bytes, case: bytes) -> Conversation:
    return Conversation.model_validate_json(_joined(document, "case", case))


def read_verdict(document: bytes) -> Verdict | None:
    """Return a stored verdict; None if it cannot be read."""
    with suppress(ValidationError):
        return Verdict.model_validate_json(document)
    return None


def _joined(document: bytes, key: str, value: bytes) -> bytes:
    return b'{"%s":%s,%s' % (key.encode(), value, document[1:])


def _unknown(connection: SqlConnection, batch: str, id: str) -> Exception:
    cases = connection.execute("SELECT id FROM batch_cases WHERE batch = ?", (batch,))
    return names.unknown_conversation(batch, id, (case for (case,) in cases))
