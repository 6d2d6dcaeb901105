"""Importing logs of real conversations as a batch."""

from pathlib import Path
from random import SystemRandom

import orjson

from sparring.app.notices import Notice, name_notices
from sparring.core.batch import IMPORTED, Batch, Players
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.seeding import ulid
from sparring.rules.inputs.chat_logs import ChatLog, ColumnNames, read_log
from sparring.rules.inputs.recordings import Conversations
from sparring.scenarios.loading import with_unique_ids
from sparring.store.store import Store


def read_logs(path: Path, columns: ColumnNames) -> ChatLog:
    """Return the conversations of a file or folder: whatever rules are checked on, or messages in rows.

    The id of every conversation is the id of its case; a repeated one gets a number.
    """
    if _is_rows(path):
        return read_log(path, columns)
    source = Conversations(path)
    found = list(source)
    cases = with_unique_ids(each.case.changed(id=each.id) for each in found)
    return ChatLog([_alone(each, case) for each, case in zip(found, cases, strict=True)], source.skipped)


def _alone(conversation: Conversation, case: Case) -> Conversation:
    """Return a conversation of its own case, without anything that was found about it."""
    fields = {name: getattr(conversation, name) for name in Conversation.model_fields}
    return Conversation.unchecked({**fields, "case": case, "repeat": 1})


def _is_rows(path: Path) -> bool:
    """Return True for a log with one message a row; other lines have a case or messages."""
    if not path.is_file() or path.suffix in (".yml", ".yaml"):
        return not path.exists()
    if path.suffix == ".csv":
        return True
    with path.open("rb") as stream:
        first = next((line for line in stream if line.strip()), b"")
    try:
        entry = orjson.loads(first)
    except orjson.JSONDecodeError:
        return True
    return not (isinstance(entry, dict) and ("case" in entry or "messages" in entry))


async def import_logs(log: ChatLog, store: Store, *, name: str = "") -> tuple[Batch, list[Notice]]:
    """Store the conversations of a log as a batch, and return it with warnings about its name."""
    now = SystemClock().now()
    batch = Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=Players(chatbot=IMPORTED, user=IMPORTED, reader="none"),
        cases=tuple(conversation.case for conversation in log.conversations),
        name=name,
    )
    notices = await name_notices(name, store)
    await store.create(batch)
    for conversation in log.conversations:
        await store.add(batch.id, conversation)
    return batch, notices
