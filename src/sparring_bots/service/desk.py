"""What the tools of one conversation know: its customer, the way to the orders, and what was checked."""

from dataclasses import dataclass, field

from sparring_bots.service.client import OrderApi
from sparring_bots.service.identity import Identity
from sparring_bots.service.policy import Decide, Policy, decide
from sparring_bots.service.shop import Now


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that was not done as it should be: `process` says what, about which order, by which tool."""

    process: str
    tool: str
    order_id: str = ""


@dataclass(slots=True)
class Desk:
    """The state of one conversation. `owned` and `permitted` are the orders that were checked, in whatever order."""

    api: OrderApi
    identity: Identity
    now: Now
    policy: Policy = field(default_factory=Policy)
    decide: Decide = decide
    owned: set[str] = field(default_factory=set)
    permitted: set[str] = field(default_factory=set)
    violations: list[Violation] = field(default_factory=list)

    def note(self, process: str, tool: str, order_id: str = "") -> None:
        """Write down what was not done as it should be."""
        self.violations.append(Violation(process, tool, order_id))
