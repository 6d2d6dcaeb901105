"""Where in a batch a call of a model is made, for those who need to find it again."""

from collections import Counter
from dataclasses import dataclass, field

from sparring.core.ambient import Ambient, Holding


@dataclass
class Place:
    """A conversation, how often its user has spoken, and how many calls each role has made.

    `diverged` says where it first was not as it had been recorded, and `remarks` are what else should be known of it.
    """

    conversation: str
    turn: int = 0
    diverged: str = ""
    remarks: tuple[str, ...] = ()
    _calls: Counter[str] = field(default_factory=Counter)

    def remark(self, words: str) -> None:
        """Say this of the conversation, once."""
        if words not in self.remarks:
            self.remarks += (words,)

    def number(self, role: str) -> int:
        """The number of the call that `role` makes now, counted from 1."""
        self._calls[role] += 1
        return self._calls[role]


_place = Ambient[Place]("place")


def inside(conversation: str) -> Holding[Place]:
    """Whatever is called inside this block is called in this conversation."""
    return _place.holding(Place(conversation))


def here() -> Place:
    """The place of the current call; one that belongs to no conversation has no name."""
    return _place.get() or Place("")
