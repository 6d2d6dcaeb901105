"""Writes to the database; each function runs inside a transaction and may run twice."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import orjson

from sparring.core.batch import Batch, BatchExecution
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, UnstorableConversation
from sparring.core.events import BatchStarted, ConversationEnded, Event
from sparring.core.listing import ConversationRow, searchable_words
from sparring.core.prompts import Prompts
from sparring.core.usage import Usage
from sparring.core.value import MAX_DEPTH, Json, to_json
from sparring.core.verdict import Verdict
from sparring.store import names
from sparring.store.sql import aggregates, listing, reads
from sparring.store.sql.checks import keep
from sparring.store.sql.connection import SqlConnection, upsert
from sparring.store.store import PendingUsage, RecordedChecks

_NEXT_POSITION = "SELECT COALESCE(MAX(position) + 1, 0) FROM batch_cases WHERE batch = ?"
_CASE = "INSERT INTO cases (hash, document) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"
_JOB = upsert("jobs (batch)", "waiting", "document")
_NEXT_RUN = """
    INSERT INTO last_runs VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET run = last_runs.run + 1 RETURNING run
"""


def create(connection: SqlConnection, batch: Batch, *, prompts: tuple[Prompts, ...] = ()) -> bool:
    """Keep a batch, its cases and its prompts, unless its id is there already."""
    names.acceptable(batch)
    row = (batch.id, batch.name, batch.repeats, to_json(batch, without=frozenset({"cases"})))
    if not connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?, 1) ON CONFLICT DO NOTHING", row).rowcount:
        return False
    if batch.name:
        (run,) = connection.execute(_NEXT_RUN, (batch.name,)).fetchone()
        connection.execute("UPDATE batches SET run = ? WHERE id = ?", (run, batch.id))
    extend(connection, batch.id, batch.cases)
    kept = [(each.hash, to_json(each)) for each in prompts]
    connection.executemany("INSERT INTO prompts VALUES (?, ?) ON CONFLICT DO NOTHING", kept)
    return True


def select(connection: SqlConnection, batch: str, conversations: tuple[str, ...]) -> None:
    """Replace the ids of the conversations that a batch plans."""
    header = reads.batch_header(connection, batch)
    if header is not None:
        document = to_json(header.changed(selected=conversations), without=frozenset({"cases"}))
        connection.execute("UPDATE batches SET document = ? WHERE id = ?", (document, batch))
        aggregates.touch(connection, batch)


def add_conversation(
    connection: SqlConnection,
    batch: str,
    conversation: Conversation,
    *,
    checks: RecordedChecks | None = None,
    unkept: PendingUsage | None = None,
) -> bool:
    """Keep a conversation of a planned case and its checks, unless it is there already."""
    position = reads.position(connection, batch, conversation.case.id, conversation.repeat)
    if position is None:
        raise names.unplanned(reads.batch_header(connection, batch), conversation.id)
    if reads.recording(connection, batch, position, conversation.repeat) is not None:
        return False
    place, columns = (batch, position, conversation.repeat), _columns(connection, conversation)
    connection.execute("INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?)", (*place, *columns))
    _record_about(connection, place, columns[2], conversation, checks, unkept)
    return True


def add_verdict(
    connection: SqlConnection,
    batch: str,
    verdict: Verdict,
    *,
    rubric: Rubric | None = None,
    rejudge: bool = False,
    row: ConversationRow | None = None,
    unkept: PendingUsage | None = None,
) -> bool:
    """Store a verdict as the next attempt of its judge, unless a decided one exists.

    With `rejudge`, always store it.
    """
    position, repeat = reads.place(connection, batch, verdict.conversation)
    if (recording := reads.recording(connection, batch, position, repeat)) is None:
        raise InputError(f"conversation {verdict.conversation!r} is judged, but it is not stored")
    if rubric is not None:
        kept = (rubric.hash, to_json(rubric))
        connection.execute("INSERT INTO rubrics VALUES (?, ?) ON CONFLICT DO NOTHING", kept)
    place = recording, verdict.judge, verdict.rubric
    given, decided = reads.attempts_of_judge(connection, *place)
    if decided and not rejudge:
        return False
    verdict = verdict.model_copy(update={"attempt": given + 1})
    insert = "INSERT INTO verdicts (recording, judge, rubric, attempt, outcome, document) VALUES (?, ?, ?, ?, ?, ?)"
    connection.execute(insert, (*place, verdict.attempt, verdict.outcome, to_json(verdict)))
    listing.forget(connection, batch, position, repeat)
    aggregates.touch(connection, batch, position)
    aggregates.note_usage(connection, batch, [verdict.usage])
    if row is not None:
        listing.keep(connection, (batch, position, repeat, row.attempt), row)
    _record_pending(connection, batch, unkept)
    return True


def appoint(connection: SqlConnection, batch: Batch) -> None:
    """Replace the judge of a stored batch and its rubrics; delete the rows with its outcomes."""
    header = reads.batch_header(connection, batch.id)
    if header is not None:
        changed = header.changed(who=batch.who, rubrics=batch.rubrics, case_rubrics=batch.case_rubrics)
        document = to_json(changed, without=frozenset({"cases"}))
        connection.execute("UPDATE batches SET document = ? WHERE id = ?", (document, batch.id))
        aggregates.touch(connection, batch.id)
        listing.forget(connection, batch.id)


def replace_conversation(
    connection: SqlConnection,
    batch: str,
    conversation: Conversation,
    *,
    checks: RecordedChecks | None = None,
    unkept: PendingUsage | None = None,
) -> bool:
    """Keep a conversation in the place of an earlier attempt, and that one among those replaced."""
    position = reads.position(connection, batch, conversation.case.id, conversation.repeat)
    if position is None:
        raise names.unplanned(reads.batch_header(connection, batch), conversation.id)
    place = (batch, position, conversation.repeat)
    earlier = connection.execute(
        "SELECT ending FROM conversations WHERE batch = ? AND position = ? AND repeat = ?", place
    ).fetchone()
    kept = connection.execute(
        "INSERT INTO replaced SELECT batch, position, repeat, attempt, recording, listed.outcome FROM conversations"
        " LEFT JOIN listed USING (batch, position, repeat, attempt)"
        " WHERE batch = ? AND position = ? AND repeat = ? AND attempt < ?",
        (*place, _attempt(conversation)),
    )
    if not kept.rowcount:
        return False
    aggregates.note(connection, batch, "conversations", {earlier[0] or "": 1}, -1)
    listing.forget(connection, *place)
    columns = _columns(connection, conversation)
    connection.execute(
        "UPDATE conversations SET ending = ?, seconds = ?, recording = ?, attempt = ?"
        " WHERE batch = ? AND position = ? AND repeat = ?",
        (*columns, *place),
    )
    _record_about(connection, place, columns[2], conversation, checks, unkept)
    return True


def record_unstored_usage(connection: SqlConnection, batch: str, usage: Usage, *, run: str = "") -> None:
    """Add usage of what is not stored; for a run, replace its earlier usage."""
    aggregates.touch(connection, batch)
    if run and not usage.calls:
        connection.execute("DELETE FROM dropped WHERE run = ?", (run,))
        return
    connection.execute(
        "INSERT INTO dropped (batch, document, run) SELECT id, CAST(? AS BLOB), nullif(?, '') FROM batches WHERE id = ?"
        " ON CONFLICT (run) DO UPDATE SET document = excluded.document",
        (to_json(usage), run, batch),
    )  # a batch may have been deleted meanwhile


def _record_pending(connection: SqlConnection, batch: str, unkept: PendingUsage | None) -> None:
    if unkept is not None:
        record_unstored_usage(connection, batch, unkept.usage, run=unkept.run)


def log(connection: SqlConnection, batch: str, event: Event) -> int:
    """Store an event, without data that is stored elsewhere, and return its id.

    The end of a conversation is stored once.
    """
    recording = document = None
    if isinstance(event, ConversationEnded):
        recording = _recording(connection, batch, event.conversation)
    elif isinstance(event, BatchStarted):
        document = to_json(event.model_copy(update={"batch": event.batch.model_copy(update={"cases": ()})}))
    else:
        document = to_json(event)
    _one_by_one(connection, batch)
    logged = connection.execute(
        "INSERT INTO events (batch, recording, document) SELECT id, CAST(? AS BIGINT), CAST(? AS BLOB)"
        " FROM batches WHERE id = ? AND NOT EXISTS (SELECT 1 FROM events WHERE recording = ?) RETURNING id",
        (recording, document, batch, recording),
    ).fetchone()
    logged = logged or connection.execute("SELECT id FROM events WHERE recording = ?", (recording,)).fetchone()
    if logged is None:
        raise names.unknown_batch(batch, reads.known(connection))
    return int(logged[0])


def log_endings(connection: SqlConnection, batch: str) -> int:
    """Keep an event for every stored conversation that has none."""
    _one_by_one(connection, batch)
    return connection.execute(
        "INSERT INTO events (batch, recording) SELECT batch, recording FROM conversations"
        " WHERE batch = ? AND NOT EXISTS (SELECT 1 FROM events WHERE events.recording = conversations.recording)"
        " ORDER BY recording",
        (batch,),
    ).rowcount


def keep_job(connection: SqlConnection, job: BatchExecution) -> None:
    """Keep how a batch is played."""
    waiting = job.served and (job.owes_callback or (not job.cancelled and job.ended is None))
    if reads.batch_header(connection, job.batch) is None:
        raise names.unknown_batch(job.batch, reads.known(connection))
    connection.execute(_JOB, (job.batch, waiting, to_json(job)))
    aggregates.touch(connection, job.batch)


def save_prompts(connection: SqlConnection, name: str, prompts: Prompts, created: datetime) -> bool:
    """Keep a version under a name, unless it is the newest of that name."""
    newest = reads.saved_prompts(connection, name)[:1]
    if newest and newest[0].hash == prompts.hash:
        return False
    connection.execute("INSERT INTO prompts VALUES (?, ?) ON CONFLICT DO NOTHING", (prompts.hash, to_json(prompts)))
    row = (name, prompts.hash, created.isoformat())
    connection.execute("INSERT INTO saved_prompts (name, hash, created) VALUES (?, ?, ?)", row)
    return True


def delete(connection: SqlConnection, batch: str) -> bool:
    """Delete a batch, its conversations and events, and unreferenced cases and rubrics."""
    if lock := connection.dialect.exclusive:
        connection.execute(lock)
    recordings = connection.execute(
        "SELECT recording FROM conversations WHERE batch = :batch"
        " UNION SELECT recording FROM replaced WHERE batch = :batch"
        " UNION SELECT recording FROM events WHERE batch = :batch AND recording IS NOT NULL",
        {"batch": batch},
    ).fetchall()
    cases = connection.execute(
        "SELECT case_key FROM batch_cases WHERE batch = :batch UNION SELECT case_key FROM conversations"
        " JOIN recordings ON key = recording WHERE batch = :batch",
        {"batch": batch},
    ).fetchall()
    if not connection.execute("DELETE FROM batches WHERE id = ?", (batch,)).rowcount:
        return False
    connection.executemany("DELETE FROM recordings WHERE key = ?", recordings)
    connection.executemany(
        "DELETE FROM cases WHERE key = ? AND NOT EXISTS (SELECT 1 FROM batch_cases WHERE case_key = cases.key)"
        " AND NOT EXISTS (SELECT 1 FROM recordings WHERE case_key = cases.key)",
        cases,
    )
    connection.execute("DELETE FROM last_runs WHERE name NOT IN (SELECT name FROM batches)")
    connection.execute("DELETE FROM rubrics WHERE hash NOT IN (SELECT rubric FROM verdicts)")
    used = connection.dialect.object.format(f"{connection.dialect.document.format('document')} -> 'prompts'")
    connection.execute(
        "DELETE FROM prompts WHERE hash NOT IN (SELECT hash FROM saved_prompts)"
        f" AND hash NOT IN (SELECT value FROM batches, {used})"
    )
    return True


def append(connection: SqlConnection, batch: str, conversations: Sequence[Conversation]) -> None:
    """Append conversations and their cases to a batch."""
    first, hashes = extend(connection, batch, [each.case for each in conversations])
    for position, (conversation, hash) in enumerate(zip(conversations, hashes, strict=True), first):
        (case,) = connection.execute("SELECT key FROM cases WHERE hash = ?", (hash,)).fetchone()
        place, columns = (batch, position, conversation.repeat), _columns(connection, conversation, case)
        connection.execute("INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?)", (*place, *columns))
        _record_about(connection, place, columns[2], conversation, None, None)


def extend(connection: SqlConnection, batch: str, cases: Sequence[Case]) -> tuple[int, list[bytes]]:
    """Append cases to a batch in two statements. Return the position of the first, and the hash of each."""
    (first,) = connection.execute(_NEXT_POSITION, (batch,)).fetchone()
    hashes: list[bytes] = []

    def documents() -> Iterable[tuple[bytes, bytes]]:
        for found in map(_hashed, cases):
            hashes.append(found[0])
            yield found

    aggregates.touch(connection, batch)
    connection.executemany(_CASE, documents())
    connection.executemany(
        "INSERT INTO batch_cases SELECT ?, ?, ?, ?, key FROM cases WHERE hash = ?",
        (
            (batch, position, case.id, json.dumps(case.tags), hash)
            for position, (case, hash) in enumerate(zip(cases, hashes, strict=True), first)
        ),
    )
    return int(first), hashes


def _one_by_one(connection: SqlConnection, batch: str) -> None:
    """Let no other process write events of a batch until this transaction ends: ids follow commits."""
    if lock := connection.dialect.one_by_one:
        connection.execute(lock, {"batch": batch})


def _columns(connection: SqlConnection, conversation: Conversation, case: int | None = None) -> tuple[Any, ...]:
    """Write a recording, and its case if it has no key. Return the columns beside its place."""
    row = case or _keep(connection, conversation.case), _document(conversation)
    insert = "INSERT INTO recordings (case_key, document) VALUES (?, ?) RETURNING key"
    (recording,) = connection.execute(insert, row).fetchone()
    seconds = conversation.timing.seconds if conversation.timing else None
    return conversation.ending, seconds, recording, _attempt(conversation)


def _record_about(
    connection: SqlConnection,
    place: tuple[str, int, int],
    recording: int,
    conversation: Conversation,
    found: RecordedChecks | None,
    unkept: PendingUsage | None,
) -> None:
    """Write figures, verdicts, row and words of the conversation at a place, and pending usage."""
    batch, position, _ = place
    aggregates.touch(connection, batch, position)
    aggregates.note(connection, batch, "conversations", {conversation.ending or "": 1})
    aggregates.note_usage(connection, batch, conversation.usage.values())
    if found is not None:
        keep(connection, recording, found.verdicts)
    if found is not None and found.row is not None:
        listing.write(connection, (*place, _attempt(conversation)), found.row)
        listing.index(connection, recording, searchable_words(conversation))
    _record_pending(connection, batch, unkept)


_LARGEST_STATE = 50_000
"""Characters of both readings of a chatbot's state: of a larger one, only the changes are stored."""


def _document(conversation: Conversation) -> bytes:
    """Return a conversation as it is stored, without its case.

    Raise UnstorableConversation if it could not be read back.
    """
    if conversation.state:
        conversation = conversation.changed(state=conversation.state.for_storage(_LARGEST_STATE))
    absent = [name for name in ("tools", "state") if not getattr(conversation, name)]
    document = to_json(conversation, without=frozenset({"case", *absent}))
    if not _plain(conversation) and not reads.readable(document, to_json(conversation.case)):
        raise UnstorableConversation(
            f"conversation {conversation.id!r} could not be read back, and is not kept",
            hint="something in it is nested too deep, or is a number that is too large",
        )
    return document


def _plain(conversation: Conversation) -> bool:
    """Return True if a conversation has plain text and flat values of calls, which can be read back."""
    case, calls = conversation.case, [call for message in conversation.messages for call in message.tool_calls]
    nested = conversation.state or conversation.outputs or case.script or case.outputs
    plain = not nested and case.seed.bit_length() < 64 and all(type(each) is str for each in case.variables.values())
    return plain and all(_is_flat([call.arguments, call.result]) for call in calls)


def _is_flat(value: list[Json]) -> bool:
    """Return True for JSON with numbers of at most 64 bits and too few brackets to be deep."""
    try:
        document = orjson.dumps(value)
    except orjson.JSONEncodeError:
        return False
    return document.count(b"{") + document.count(b"[") <= MAX_DEPTH


def _attempt(conversation: Conversation) -> int:
    return conversation.timing.attempt if conversation.timing else 1


def _keep(connection: SqlConnection, case: Case) -> int:
    hash, document = _hashed(case)
    find = partial(connection.execute, "SELECT key FROM cases WHERE hash = ?", (hash,))
    # Another process may store the same case between the two.
    kept = find().fetchone() or connection.execute(f"{_CASE} RETURNING key", (hash, document)).fetchone()
    return int((kept or find().fetchone())[0])


def _hashed(case: Case) -> tuple[bytes, bytes]:
    # Keys are in the order of the fields, and variables in the author's, which a user without a model goes by: two
    # cases that differ in nothing else are two.
    document = to_json(case)
    return hashlib.sha256(document).digest(), document


def _recording(connection: SqlConnection, batch: str, conversation: Conversation) -> int:
    position = reads.position(connection, batch, conversation.case.id, conversation.repeat)
    recording = None if position is None else reads.recording(connection, batch, position, conversation.repeat)
    if recording is None:
        raise InputError(f"conversation {conversation.id!r} has an ending, but is not stored")
    return recording
