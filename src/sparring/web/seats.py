"""Room for those who listen to events."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sparring.web.answers import Refusal


@dataclass
class Seats:
    """So many may listen at once; nobody takes more than half of the room, so that there is some for others."""

    most: int
    _taken: Counter[str] = field(default_factory=Counter)

    @property
    def taken(self) -> int:
        """How many listen."""
        return self._taken.total()

    def check(self, caller: str) -> None:
        """A Refusal where there is no room for one listener more of this caller's."""
        if self.taken >= self.most:
            raise Refusal(429, f"{self.taken} are listening, and no more may", retry=30)
        if self._taken[caller] >= max(1, self.most // 2):
            raise Refusal(429, f"you are listening {self._taken[caller]} times, and no more is for one alone", retry=30)

    @contextmanager
    def sitting(self, caller: str) -> Iterator[None]:
        """Listen, inside the block."""
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]
