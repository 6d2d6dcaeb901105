"""Importing logs of real conversations as a batch, and reading their goals and outputs without one."""

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import tee
from random import SystemRandom

from sparring.app.config import AppConfig
from sparring.app.notices import Notice, name_notices
from sparring.app.wiring import reader_alone
from sparring.core.batch import IMPORT_INTERRUPTED, IMPORTED, Batch, BatchExecution, Players
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.seeding import ulid
from sparring.core.value import Json
from sparring.extraction.extractor import Extraction
from sparring.rules.inputs.recordings import Conversations
from sparring.scenarios.loading import with_unique_ids
from sparring.store.store import Store

_TOGETHER = 512  # conversations in memory at a time
_LETTERS = 8_000_000  # of what they say, at which there are fewer


async def import_logs(found: Conversations, store: Store, *, name: str = "") -> tuple[Batch, int, list[Notice]]:
    """Store the conversations of logs as `store_conversations` does. Raise InputError if there are none."""
    batch, number, notices = await store_conversations(found, store, name=name)
    if not number:
        reasons = f": {found.skipped[0]}" if found.skipped else ""
        raise InputError(f"{found.shown} holds no conversations{reasons}", hint="--format NAME, or --map for rows")
    return batch, number, notices


async def store_conversations(
    found: Iterable[Conversation], store: Store, *, name: str
) -> tuple[Batch, int, list[Notice]]:
    """Store conversations as a batch, each under its own id.

    Return the batch without its cases, their number, and warnings about its name. A failure leaves nothing behind; a
    killed import leaves a batch marked as incomplete.
    """
    now = SystemClock().now()
    batch = Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=Players(chatbot=IMPORTED, user=IMPORTED, reader="none"),
        cases=(),
        name=name,
    )
    notices = await name_notices(name, store)
    number = 0
    try:
        with store.playing(batch.id):
            for some in _groups(_alone(found)):
                if not number:
                    await store.create(batch)
                    await store.keep_job(BatchExecution(batch=batch.id, started=now, error=IMPORT_INTERRUPTED))
                await store.append(batch.id, some)
                number += len(some)
            if number:
                await store.keep_job(BatchExecution(batch=batch.id, started=now, ended=SystemClock().now()))
    except BaseException:
        await store.delete(batch.id)
        raise
    return batch, number, notices


def _groups(conversations: Iterable[Conversation]) -> Iterator[list[Conversation]]:
    """Yield conversations that are stored together: each group is flushed to the disk once."""
    some, letters = list[Conversation](), 0
    for each in conversations:
        some.append(each)
        letters += sum(len(said.text) for said in each.messages)
        letters += sum(len(str(call.result)) for said in each.messages for call in said.tool_calls)
        if len(some) == _TOGETHER or letters > _LETTERS:
            yield some
            some, letters = [], 0
    if some:
        yield some


def imported_json(batch: Batch, number: int, skipped: Iterable[Problem]) -> dict[str, Json]:
    """Return the content of a document of the kind `imported`."""
    left_out: list[Json] = [each.model_dump(mode="json") for each in skipped]
    return {"batch": batch.id, "name": batch.name, "conversations": number, "skipped": left_out}


def _alone(found: Iterable[Conversation]) -> Iterator[Conversation]:
    """Yield conversations with cases of their own and without earlier verdicts.

    The id of a conversation is the id of its case; a repeated one gets a number.
    """
    conversations, others = tee(found)
    cases: Iterator[Case] = with_unique_ids(each.case.changed(id=each.id) for each in others)
    for conversation, case in zip(conversations, cases, strict=True):
        fields = {name: getattr(conversation, name) for name in Conversation.model_fields}
        yield Conversation.unchecked({**fields, "case": case, "repeat": 1})


async def read_conversations(
    conversations: Iterable[Conversation], config: AppConfig
) -> AsyncIterator[tuple[str, Extraction]]:
    """Yield the id of each conversation with the extraction by the reader of `config`."""
    async with reader_alone(config.players.reader, config) as reader:
        for conversation in conversations:
            yield conversation.id, await reader.read(conversation)
