"""Importing logs of real conversations as a batch."""

from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom

from sparring.app.notices import Notice, name_notices
from sparring.core.batch import IMPORTED, Batch, Players
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.seeding import ulid
from sparring.rules.inputs.recordings import Conversations
from sparring.rules.inputs.rows import columns_of
from sparring.scenarios.loading import with_unique_ids
from sparring.store.store import Store


class Log:
    """Conversations of a file or folder, read again in every iteration, each under an id of its own.

    The id of a conversation is the id of its case; a repeated one gets a number.
    """

    def __init__(self, path: str | Path, columns: str, *, format: str = "auto", complete_tools: bool = False) -> None:
        named = columns_of(columns)
        self._found = Conversations(path, format=format, columns=named, complete_tools=complete_tools)
        self.cases = tuple(with_unique_ids(each.case.changed(id=each.id) for each in self._found))
        if not self.cases:
            reasons = f": {self.skipped[0]}" if self.skipped else ""
            raise InputError(f"{path} holds no conversations{reasons}", hint="--format NAME, or --map for rows")

    @property
    def skipped(self) -> list[Problem]:
        """Problems of entries without a conversation."""
        return self._found.skipped

    def __iter__(self) -> Iterator[Conversation]:
        for each, case in zip(self._found, self.cases, strict=True):
            yield _alone(each, case)


def _alone(conversation: Conversation, case: Case) -> Conversation:
    """Return a conversation of its own case, without anything that was found about it."""
    fields = {name: getattr(conversation, name) for name in Conversation.model_fields}
    return Conversation.unchecked({**fields, "case": case, "repeat": 1})


async def import_logs(log: Log, store: Store, *, name: str = "") -> tuple[Batch, list[Notice]]:
    """Store the conversations of a log as a batch, and return it with warnings about its name."""
    now = SystemClock().now()
    batch = Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=Players(chatbot=IMPORTED, user=IMPORTED, reader="none"),
        cases=log.cases,
        name=name,
    )
    notices = await name_notices(name, store)
    await store.create(batch)
    for conversation in log:
        await store.add(batch.id, conversation)
    return batch, notices
