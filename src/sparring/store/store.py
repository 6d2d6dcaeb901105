"""A store, as everything here sees one."""

from collections.abc import AsyncIterator
from typing import Protocol

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.events import Event


class Writer(Protocol):
    """Keeps what is run. When an `await` returns, the thing is on disk; the first write wins."""

    async def create(self, batch: Batch) -> None: ...

    async def add(self, batch: str, conversation: Conversation) -> bool:
        """Keep a conversation; False if (batch, case id, repeat) is there already, and then nothing changes."""
        ...


class Reader(Protocol):
    """Reads what was run. `batch` takes an id, a `--name` (the newest with it), or `latest`."""

    async def batch(self, which: str) -> Batch:
        """The batch; an InputError with a suggestion if there is none."""
        ...

    async def batches(self, *, limit: int = 100, before: str = "") -> list[Batch]:
        """The newest first, without their cases; `before` is the id where the last page stopped."""
        ...

    async def stored(self, batch: str) -> set[tuple[str, int]]:
        """(case id, repeat) of every conversation kept of a batch."""
        ...

    def conversations(self, batch: str) -> AsyncIterator[Conversation]:
        """In the order of the batch's cases and then of repeats, whatever order they were stored in."""
        ...

    async def conversation(self, batch: str, id: str) -> Conversation:
        """One of them, by its id (`case`, or `case#2` for a repeat); an InputError with a suggestion if not there."""
        ...


class EventLog(Protocol):
    """Keeps what happened, in order; ids are positive and grow, so a listener can go on where it stopped."""

    async def log(self, batch: str, event: Event) -> int: ...

    def events(self, batch: str, *, after: int = 0) -> AsyncIterator[tuple[int, Event]]: ...


class Store(Writer, Reader, EventLog, Protocol):
    """All three."""
