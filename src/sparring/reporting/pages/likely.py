"""The conversations that a file of limited size may have room for."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from sparring.core.verdict import Outcome
from sparring.reporting.report import Told

_LEAST = 300
"""Bytes that a conversation takes in a file at least, whatever was said in it."""

_SPARE = 1.5
"""How much more is held than there is room for: what turns out too large leaves its room to those behind it."""


class Likely:
    """Holds conversations by their rank, the lowest first and each rank in the order in which it came, as long as what
    was said in them may fit into `room` bytes; what it lets go of is counted by how it came out.
    """

    def __init__(self, room: float) -> None:
        self._room = room * _SPARE
        self._ranks: defaultdict[float, list[Told]] = defaultdict(list)
        self._held = 0
        self.left_out: Counter[Outcome] = Counter()

    def add(self, rank: float, told: Told) -> None:
        """Take a conversation, and let go of the last ones for which there is no room any more."""
        self._ranks[rank].append(told)
        self._held += _likely_size(told)
        while self._held > self._room:
            worst = max(self._ranks)
            last = self._ranks[worst].pop()
            if not self._ranks[worst]:
                del self._ranks[worst]
            self._held -= _likely_size(last)
            self.left_out[last.came[0]] += 1

    def __iter__(self) -> Iterator[Told]:
        for rank in sorted(self._ranks):
            yield from self._ranks[rank]


def _likely_size(told: Told) -> int:
    """The least that a conversation takes."""
    return _LEAST + sum(len(message.text) for message in told.conversation.messages)
