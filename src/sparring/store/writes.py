"""What is written into the SQLite file; each function runs inside a transaction and may run twice."""

import hashlib
import sqlite3
from collections.abc import Iterable

import orjson

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.events import BatchStarted, ConversationEnded, Event
from sparring.core.value import to_json
from sparring.store import names, reads


def create(connection: sqlite3.Connection, batch: Batch) -> bool:
    """Keep a batch and its cases, unless its id is there already."""
    document = to_json(batch, without=frozenset({"cases"}))
    row = (batch.id, batch.name, batch.repeats, document)
    if not connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row).rowcount:
        return False
    connection.executemany("INSERT INTO batch_cases VALUES (?, ?, ?, ?, ?)", _cases(connection, batch))
    return True


def add(connection: sqlite3.Connection, batch: str, conversation: Conversation, document: bytes) -> bool:
    """Keep a conversation of a planned case, unless it is there already."""
    place = reads.position(connection, batch, conversation.case.id, conversation.repeat)
    if place is None:
        raise names.unplanned(reads.head(connection, batch), conversation.id)
    added = connection.execute(
        "INSERT INTO conversations (batch, position, repeat, case_hash, ending, seconds, document)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            batch,
            place,
            conversation.repeat,
            _keep(connection, conversation.case),
            conversation.ending,
            conversation.timing and conversation.timing.seconds,
            document,
        ),
    )
    return added.rowcount == 1


def log(connection: sqlite3.Connection, batch: str, event: Event) -> int:
    """Keep an event; what is stored already is not stored again with it."""
    conversation = document = None
    if isinstance(event, ConversationEnded):
        conversation = _key(connection, batch, event.conversation)
    elif isinstance(event, BatchStarted):
        document = to_json(event.model_copy(update={"batch": event.batch.model_copy(update={"cases": ()})}))
    else:
        document = to_json(event)
    row = (batch, conversation, document)
    try:
        logged = connection.execute("INSERT INTO events (batch, conversation, document) VALUES (?, ?, ?)", row)
    except sqlite3.IntegrityError as error:
        raise names.unknown_batch(batch, reads.known(connection)) from error
    return int(logged.lastrowid or 0)


def _cases(connection: sqlite3.Connection, batch: Batch) -> Iterable[tuple[str, int, str, bytes, bytes]]:
    for position, case in enumerate(batch.cases):
        yield batch.id, position, case.id, orjson.dumps(case.tags), _keep(connection, case)


def _keep(connection: sqlite3.Connection, case: Case) -> bytes:
    # Keys are in the order of the fields, and variables in the author's, which a user without a model goes by: two
    # cases that differ in nothing else are two.
    document = to_json(case)
    hash = hashlib.sha256(document).digest()
    connection.execute("INSERT INTO cases VALUES (?, ?) ON CONFLICT DO NOTHING", (hash, document))
    return hash


def _key(connection: sqlite3.Connection, batch: str, conversation: Conversation) -> int:
    row = connection.execute(
        "SELECT key FROM conversations JOIN batch_cases USING (batch, position)"
        " WHERE batch = ? AND id = ? AND repeat = ?",
        (batch, conversation.case.id, conversation.repeat),
    ).fetchone()
    if row is None:
        raise InputError(f"conversation {conversation.id!r} is told to have ended, but it is not stored")
    return int(row[0])
