"""Importing logs of real conversations as a batch."""

from random import SystemRandom

from sparring.app.notices import Notice, name_notices
from sparring.core.batch import IMPORTED, Batch, Players
from sparring.core.clock import SystemClock
from sparring.core.seeding import ulid
from sparring.rules.inputs.chat_logs import ChatLog
from sparring.store.store import Store


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
