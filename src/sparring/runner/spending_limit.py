"""Something of which a batch may take only so much: money, or tokens."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

_UNTOLD = 10  # calls after which a limit that nobody can keep is none, where none of them says what it took
_ROUNDING = 1 + 1e-9  # three times 0.1 is not beyond 0.3


@dataclass
class SpendingLimit:
    """Something of which there may be a limit: what all conversations used, and what those that ended did.

    `before` is what earlier runs used, of which nothing is left to show for `lost`. Of calls that are `untold` nobody
    said what they took: they count as much as the others did, and where there are no others, a few are too many.
    """

    limit: float | None
    used: float
    conversations: int
    by_ended: float
    before: float = field(init=False)
    lost: float = field(init=False)
    told: int = 0
    untold: int = 0

    def __post_init__(self) -> None:
        self.before, self.lost = self.used, self.used - self.by_ended

    @property
    def gone(self) -> bool:
        if self.limit is None:
            return False
        if self.vain:
            return True
        likely = self.used * (1 + self.untold / self.told) if self.told else self.used
        return likely * _ROUNDING >= self.limit

    @property
    def vain(self) -> bool:
        """Whether nobody can keep the limit, since no call says what it took."""
        return not self.told and self.untold >= _UNTOLD

    def count(self, calls: int, untold: int) -> None:
        """So many calls were made."""
        self.told += max(calls - untold, 0)
        self.untold += untold

    def besides(self, what: str) -> str:
        """What is not in the sum, in words."""
        untold = f", besides {self.untold:,} calls without a {what}" if self.untold else ""
        return f"{untold}: nobody can keep this limit" if self.vain else untold

    def short(self, under_way: int) -> bool:
        """Whether there is not enough for those under way and another, if they take what others took."""
        if self.limit is None or self.gone:
            return self.gone
        each = self.by_ended / self.conversations if self.conversations else 0.0
        return max(self.used, self.lost + self.by_ended + under_way * each) + each > self.limit * _ROUNDING

    def half_left(self, under_way: float) -> bool:
        """Whether half of what there was will be left after the calls under way, so many for each that was paid."""
        return self.limit is None or 2 * (self.used - self.before) * (1 + under_way) < self.limit - self.before

    def does_for(self, wanting: T, under_way: Collection[T], taken: Callable[[T], float]) -> bool:
        """Whether the rest will do for a conversation and those begun before it, if they take what others took."""
        if self.limit is None:
            return True
        left = self.limit - self.used
        each = self.by_ended / self.conversations
        if each * len(under_way) <= left:
            return True
        for one in under_way:
            left -= max(each - taken(one), 0.0)
            if left < 0 or one is wanting:
                break
        return left >= 0

    def ended(self, used: float) -> None:
        """A conversation has ended, and its use, counted before, is one to go by."""
        self.by_ended += used
        self.conversations += 1
