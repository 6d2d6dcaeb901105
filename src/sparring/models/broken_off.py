"""Calls that do not come to their end: a cancellation says what they may have to be paid for, and whoever cannot wait
for that, since a program that is killed says nothing, looks at those under way."""

from asyncio import CancelledError
from dataclasses import dataclass

from sparring.core.ambient import Ambient, Holding


@dataclass(slots=True, eq=False)
class Lost:
    """The attempts at a call that were of no use and may have to be paid for, and whether another is under way."""

    attempts: int = 0
    under_way: bool = False

    @property
    def charged(self) -> int:
        """How many attempts may have to be paid for if the call is broken off now."""
        return self.attempts + self.under_way

    def said_by(self, error: CancelledError) -> None:
        """Let a cancellation say it, to whoever it passes."""
        error.args = (self,)


def lost_by(error: CancelledError) -> int:
    """How many attempts a cancelled call may have to be paid for, as far as anybody said."""
    return sum(each.charged for each in error.args if isinstance(each, Lost))


_watched = Ambient[set[Lost]]("watched")


def watching(calls: set[Lost]) -> Holding[set[Lost]]:
    """Have the calls of this block in `calls` while they are under way."""
    return _watched.holding(calls)


def watched() -> set[Lost]:
    """Where a call has to be while it is under way."""
    calls = _watched.get()
    return set() if calls is None else calls
