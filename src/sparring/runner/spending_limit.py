"""A limit on one resource of a batch: money or tokens."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

_MAX_UNMEASURED = 10  # unmeasured calls after which a limit counts as unenforceable
_ROUNDING = 1 + 1e-9  # three times 0.1 is not beyond 0.3


@dataclass
class SpendingLimit:
    """Use of a resource by all conversations (`used`), and by ended ones (`by_ended`), with its limit.

    `before` is what earlier executions used; `lost` is the part of it that no stored conversation accounts for. Calls
    that report no usage are `unmeasured` and count as the average of the `measured` ones. If none is measured, a few
    calls exhaust the limit.
    """

    limit: float | None
    used: float
    conversations: int
    by_ended: float
    before: float = field(init=False)
    lost: float = field(init=False)
    measured: int = 0
    unmeasured: int = 0

    def __post_init__(self) -> None:
        self.before, self.lost = self.used, self.used - self.by_ended

    @property
    def exhausted(self) -> bool:
        """True if the limit is reached, as far as the calls were measured."""
        if self.limit is None:
            return False
        if self.unenforceable:
            return True
        likely = self.used * (1 + self.unmeasured / self.measured) if self.measured else self.used
        return likely * _ROUNDING >= self.limit

    @property
    def unenforceable(self) -> bool:
        """True if no call reports what it used."""
        return not self.measured and self.unmeasured >= _MAX_UNMEASURED

    def count(self, calls: int, unmeasured: int) -> None:
        """Count calls that were made."""
        self.measured += max(calls - unmeasured, 0)
        self.unmeasured += unmeasured

    def uncounted(self, what: str) -> str:
        """Describe the calls that are missing from the sum."""
        calls = f", not counting {self.unmeasured:,} calls without a {what}" if self.unmeasured else ""
        return f"{calls}; this limit cannot be enforced" if self.unenforceable else calls

    def too_small_for(self, running: int) -> bool:
        """Return True if the limit is too small for the running conversations and one more of average use."""
        if self.limit is None or self.exhausted:
            return self.exhausted
        each = self.by_ended / self.conversations if self.conversations else 0.0
        return max(self.used, self.lost + self.by_ended + running * each) + each > self.limit * _ROUNDING

    def leaves_half(self, running: float) -> bool:
        """Return True if half of the limit is left after the running calls, `running` for each finished call."""
        return self.limit is None or 2 * (self.used - self.before) * (1 + running) < self.limit - self.before

    def suffices_for(self, conversation: T, running: Collection[T], use: Callable[[T], float]) -> bool:
        """Return True if the rest suffices for a conversation and all that began before it, at average use."""
        if self.limit is None:
            return True
        left = self.limit - self.used
        each = self.by_ended / self.conversations
        if each * len(running) <= left:
            return True
        for one in running:
            left -= max(each - use(one), 0.0)
            if left < 0 or one is conversation:
                break
        return left >= 0

    def ended(self, used: float) -> None:
        """Include the use of a conversation that ended in the average."""
        self.by_ended += used
        self.conversations += 1
