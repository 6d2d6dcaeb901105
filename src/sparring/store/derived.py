"""Protocols for computed data in a store: of cases, of mutants, and of batches."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from sparring.core.conversation import Conversation
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals
from sparring.core.mutation import MutantPlay, MutationRun
from sparring.core.outcome import Decision, Discrimination, Outcome

END = 2**31 - 1
"""A position after all cases of a batch."""


class Trials(Protocol):
    """Keeps what null bots found about cases, across batches."""

    async def tried(self, key: str) -> Discrimination | None:
        """Return the stored result under a key, or None."""

    async def record_tried(self, key: str, found: Discrimination) -> None:
        """Store a result, replacing an earlier one."""


class Mutations(Protocol):
    """Keeps runs over mutants of batches, which go with their batch."""

    async def record_mutation(self, run: MutationRun) -> None:
        """Store a run, replacing an earlier one with its id."""

    async def mutation(self, which: str) -> MutationRun:
        """Return the run with this id, or the `latest`; raise InputError if there is none."""

    async def record_play(self, run: str, key: str, play: MutantPlay) -> None:
        """Record a conversation of a run."""

    async def play(self, run: str, key: str) -> MutantPlay | None:
        """Return a conversation of a run, or None."""


class Block(NamedTuple):
    """Cases of a batch from a first position up to, and without, a last one.

    `revision` changes only with the stored data of their conversations.
    """

    first: int
    stop: int
    revision: int


class StoredResult(NamedTuple):
    """The result of a conversation: columns of its row in lists, and what only results have."""

    position: int
    repeat: int
    case: str
    tags: list[str]
    ending: str | None
    score: float | None
    turns: int
    seconds: float | None
    attempt: int
    decision: Decision
    first: Outcome | None
    result: Mapping[str, Any]


class Computed(Protocol):
    """Stores computed results of batches, and figures that are counted as their rows are written."""

    async def state(self, batch: str) -> str:
        """Return a hash that changes with the stored data of a batch and of the earlier ones of its name."""

    async def blocks(self, batch: str) -> list[Block]:
        """Return the cases of a batch in blocks, with what changed of them, in their order."""

    async def stored_between(self, batch: str, first: int, stop: int) -> int:
        """Return the number of stored conversations of a range of cases."""

    async def computed(self, batch: str, kind: str, hash: str) -> bytes | None:
        """Return a computed result of a batch, if it was computed from the data with this hash."""

    async def keep_computed(self, batch: str, kind: str, hash: str, document: bytes) -> None:
        """Store a computed result of a batch, replacing an earlier one of this kind."""

    async def rebuild(self, batch: str) -> int:
        """Recount the figures of a batch, and drop computed results. Return how many figures were wrong."""


class Listing(Protocol):
    """Finds, sorts and adds up rows of conversations; a row goes when its conversation is replaced."""

    def unlisted(self, batch: str, *, first: int = 0, stop: int = END) -> AsyncIterator[Conversation]:
        """Yield the stored conversations of a range of cases that have no row; skip unreadable ones."""

    async def search(
        self, batch: str, wanted: ConversationQuery, *, offset: int, limit: int
    ) -> tuple[int, list[ConversationRow]]:
        """Return the number of matching rows and a page of them; rows without a value to sort by come last."""

    async def lacks_results(self, batch: str) -> bool:
        """Return True if `stored_results` would leave out a conversation of a batch. `batch` is an id."""

    def stored_results(self, batch: str) -> AsyncIterator[StoredResult]:
        """Yield the results of a batch in the order of the conversations, without reading them."""

    async def newest(self, batch: str, *, limit: int) -> list[ConversationRow]:
        """Return the rows of the conversations that were stored last, newest first."""

    async def totals(self, batch: str) -> RowTotals:
        """Return the totals of all rows of a batch."""

    async def first_causes(self, batches: Sequence[str]) -> dict[str, str]:
        """Return the ids of causes in the rows of batches, each with the first of these batches that has it."""
