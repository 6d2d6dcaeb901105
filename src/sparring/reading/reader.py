"""A reader, as everything here sees one."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sparring.core.conversation import Conversation, GoalProgress, Output


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found: one entry for each goal and each wanted output of the case, in their order."""

    goals: tuple[GoalProgress, ...]
    outputs: tuple[Output, ...]


class Reader(Protocol):
    """Says which goals were asked and answered so far, and which outputs were stated. Raises only a `ModelError`."""

    async def read(self, conversation: Conversation) -> Reading: ...


@runtime_checkable
class Follows(Protocol):
    """What a reader may do besides: go on where it stopped, so that a long conversation is not read anew every turn."""

    def following(self) -> Reader:
        """A reader for one conversation; shown something else, it begins anew."""
        ...


def for_one(reader: Reader) -> Reader:
    """The reader to read one conversation with, exchange by exchange."""
    return reader.following() if isinstance(reader, Follows) else reader
