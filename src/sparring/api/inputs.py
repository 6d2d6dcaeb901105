"""The arguments of the public API, resolved: conversations to recordings or batches, rules to values."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom

from sparring.api.results import Results
from sparring.api.stores import StorePlace
from sparring.app.sources import RuleLike, read_rules
from sparring.core.batch import Batch, Players
from sparring.core.checks import InvalidRule, Rule
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.seeding import ulid
from sparring.core.tool_errors import ToolError
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.recording import Recording, recording_of
from sparring.store.store import Store

Conversations = str | Path | Results | Iterable[Conversation]
"""A batch by its id, its name or `latest`, a file or folder of recordings, results, or conversations."""


def rules_of(rules: RuleLike | Iterable[RuleLike]) -> list[Rule | InvalidRule]:
    """Return the rules, including invalid ones. Raise InputError if there is nothing to check."""
    found = read_rules(rules)
    if not found:
        raise InputError("there are no rules to check", hint="a rule file, or an expression such as 'turns() < 12'")
    return found


async def recordings_of(
    conversations: Conversations, place: StorePlace, tool_errors: Sequence[ToolError]
) -> AsyncIterator[Recording]:
    """Yield conversations as rules see them."""
    files = _recordings(conversations, tool_errors) if isinstance(conversations, str | Path) else None
    if files is not None:
        for recording in files:
            yield recording
    elif isinstance(conversations, str | Path):
        async with place.open() as store:
            batch = await store.batch(str(conversations))
            async for conversation in store.conversations(batch.id):
                yield recording_of(conversation)
    elif isinstance(conversations, Results):
        async for result in conversations:
            yield recording_of(result.conversation)
    else:
        for conversation in conversations:
            yield recording_of(conversation)


def _recordings(source: str | Path, tool_errors: Sequence[ToolError]) -> Recordings | None:
    """Return the recordings of a file or folder, or None if there is none of this name."""
    return Recordings(source, tool_errors=tool_errors) if Path(source).exists() else None


_VALUES = "values"
"""The chatbot and the user of conversations that a program passes."""


@asynccontextmanager
async def batch_in(conversations: Conversations, place: StorePlace) -> AsyncIterator[tuple[Batch, Store, StorePlace]]:
    """Open the store of a batch. Conversations passed as values become a batch in memory."""
    if isinstance(conversations, Results):
        async with conversations.place.open() as store:
            yield await store.batch(conversations.id), store, conversations.place
    elif isinstance(conversations, str | Path):
        async with place.open() as store:
            yield await store.batch(str(conversations)), store, place
    else:
        from sparring.testing.memory_store import MemoryStore

        held = list(conversations)
        memory = MemoryStore()
        batch = await _stored(held, memory)
        yield batch, memory, StorePlace(given=memory)


async def _stored(conversations: list[Conversation], store: Store) -> Batch:
    """Store conversations as a batch of their own."""
    if not conversations:
        raise InputError("there are no conversations")
    now = datetime.now(UTC)
    batch = Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=Players(chatbot=_VALUES, user=_VALUES, reader="none"),
        cases=tuple({each.case.id: each.case for each in conversations}.values()),
        repeats=max(each.repeat for each in conversations),
    )
    await store.create(batch)
    for conversation in conversations:
        await store.add(batch.id, conversation)
    return batch
