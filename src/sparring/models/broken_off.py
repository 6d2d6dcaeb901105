"""Calls that are cancelled while they are under way: what they may have to be paid for is said by the cancellation."""

from asyncio import CancelledError
from dataclasses import dataclass


@dataclass(slots=True)
class Lost:
    """The attempts at a call that were of no use and may have to be paid for, and whether another is under way."""

    attempts: int = 0
    under_way: bool = False

    def said_by(self, error: CancelledError) -> None:
        """Let a cancellation say it, to whoever it passes."""
        error.args = (self,)


def lost_by(error: CancelledError) -> int:
    """How many attempts a cancelled call may have to be paid for, as far as anybody said."""
    return sum(each.attempts + each.under_way for each in error.args if isinstance(each, Lost))
