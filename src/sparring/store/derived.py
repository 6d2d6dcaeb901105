"""Protocols for what a store keeps that was computed: of cases, of mutants, and of batches."""

from typing import NamedTuple, Protocol

from sparring.core.mutation import MutantPlay, MutationRun
from sparring.core.outcome import Discrimination


class Trials(Protocol):
    """Keeps what null bots found about cases, across batches."""

    async def tried(self, key: str) -> Discrimination | None:
        """Return what was found under a key, or None."""
        ...

    async def record_tried(self, key: str, found: Discrimination) -> None:
        """Record what was found, in place of anything earlier."""
        ...


class Mutations(Protocol):
    """Keeps runs over mutants of batches, which go with their batch."""

    async def record_mutation(self, run: MutationRun) -> None:
        """Record a run, in place of an earlier one with its id."""
        ...

    async def mutation(self, which: str) -> MutationRun:
        """Return the run with this id, or the `latest`; raise InputError if there is none."""
        ...

    async def record_play(self, run: str, key: str, play: MutantPlay) -> None:
        """Record a conversation of a run."""
        ...

    async def play(self, run: str, key: str) -> MutantPlay | None:
        """Return a conversation of a run, or None."""
        ...


class Block(NamedTuple):
    """Cases of a batch from a first position to one that is left out, with a number that changes with what is stored.

    It does not change with what is stored of the batch itself, and of other batches.
    """

    first: int
    stop: int
    revision: int


class Computed(Protocol):
    """Keeps what was computed of batches, and the figures that are counted as their rows are written."""

    async def state(self, batch: str) -> str:
        """Return a hash that changes with what is stored of a batch and of the earlier ones of its name."""
        ...

    async def blocks(self, batch: str) -> list[Block]:
        """Return the cases of a batch in blocks, with what changed of them, in their order."""
        ...

    async def computed(self, batch: str, kind: str, hash: str) -> bytes | None:
        """Return what was computed of a batch, if it follows from what has this hash."""
        ...

    async def keep_computed(self, batch: str, kind: str, hash: str, document: bytes) -> None:
        """Store what was computed of a batch, in place of an earlier result of this kind."""
        ...

    async def rebuild(self, batch: str) -> int:
        """Count the figures of a batch anew; forget what was computed. Return how many figures were wrong."""
        ...
