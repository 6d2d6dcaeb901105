"""A reader, as everything here sees one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sparring.core.conversation import Conversation, GoalProgress, Output


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found: one entry for each goal and each wanted output of the case, in their order."""

    goals: tuple[GoalProgress, ...]
    outputs: tuple[Output, ...]


class Reader(Protocol):
    """Says which goals were asked and answered so far, and which outputs were stated. Raises only a `ModelError`."""

    async def read(self, conversation: Conversation) -> Reading: ...


def for_one(reader: Reader) -> Reader:
    """The reader to read one conversation with, exchange by exchange.

    One that has a method `following` gives another that goes on where it stopped, so that a long conversation is not
    read anew every turn; shown something else, that one begins anew.
    """
    # To ask for every conversation whether it is an instance of a protocol would take as long as to read a message.
    following: Callable[[], Reader] | None = getattr(reader, "following", None)
    return reader if following is None else following()


def hearing(reader: Reader) -> Callable[[Conversation], None] | None:
    """How a reader may be shown a conversation on its way, if it has a method `hear`: one that is read only at its end
    is read in good part before, while others wait for their models, and not together with all that end then."""
    hear: Callable[[Conversation], None] | None = getattr(reader, "hear", None)
    return hear
