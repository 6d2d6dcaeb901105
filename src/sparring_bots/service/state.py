"""What the tools of one conversation know: its customer, the way to the orders, and what was checked.

Everything that belongs to one conversation, from its beginning or from the last `/reset` on.

Who a conversation is with: what the session says, or else what the customer said first.
"""

import re
from dataclasses import dataclass, field

from sparring.chatbots.prompted.chatbot import InitialState
from sparring.core.message import Message
from sparring.core.value import Json
from sparring_bots.service.client import OrderApi
from sparring_bots.service.experiments import Metrics
from sparring_bots.service.orders import Order
from sparring_bots.service.policy import Decide, Policy, decide
from sparring_bots.service.shop import Now, Shop

# Only the letters and digits of ASCII: others that look like them, or fold to them, are other numbers.
_STATED = re.compile(r"\bCUST[- ]?([0-9]{3,6})\b", re.ASCII | re.IGNORECASE)
_CUSTOMER = re.compile("CUST-[0-9]{3,6}", re.ASCII)


def is_customer(text: object) -> bool:
    """Whether this is written as a customer's number is."""
    return isinstance(text, str) and _CUSTOMER.fullmatch(text) is not None


def written(claimed: str) -> str | None:
    """A customer's number as the shop writes it; None if it is none."""
    found = _STATED.fullmatch(claimed)
    return f"CUST-{found[1]}" if found else None


def stated(text: str) -> str | None:
    """The first customer's number in a text."""
    found = _STATED.search(text)
    return f"CUST-{found[1]}" if found else None


@dataclass(slots=True)
class Identity:
    """The customer of a conversation: `bound` when it began, or `stated` by the customer, who cannot prove it.

    Nothing that is said changes a bound identity. Of those that are stated the first counts, for good: nobody tries
    one number after the other. What a model claims counts for nothing; it can only agree.
    """

    bound: str | None = None
    stated: str | None = None

    def hear(self, text: str) -> None:
        """Take down the number that the customer states, the first time."""
        if self.bound is None and self.stated is None:
            self.stated = stated(text)

    @property
    def customer_id(self) -> str | None:
        """The customer, if anybody is."""
        return self.bound or self.stated

    @property
    def verified(self) -> bool:
        """Whether the session vouches for the customer."""
        return self.bound is not None

    def allows(self, claimed: str | None) -> bool:
        """Whether a claim says nothing else than what is known."""
        return claimed is None or (self.customer_id is not None and written(claimed) == self.customer_id)


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


@dataclass(frozen=True, slots=True)
class Opened:
    """A conversation and what came of it. `shop` is None where the orders are behind an API that is not its own.

    `orders` are as they were at the beginning; `log` has every tool call with its result.
    """

    beginning: InitialState
    desk: Desk
    metrics: Metrics
    shop: Shop | None
    orders: tuple[Order, ...] = ()
    messages: list[Message] = field(default_factory=list)
    log: list[dict[str, Json]] = field(default_factory=list)

    def record(self, said: Message, reply: Message) -> None:
        """Take down what the user said and what was answered."""
        self.metrics.count(reply)
        self.messages.extend((said, reply))
        calls = (call.model_dump(mode="json", exclude_defaults=True) for call in reply.tool_calls)
        self.log.extend({"reply": self.metrics.replies, **call} for call in calls)

    def close(self) -> None:
        """Give the orders back, if they were its own."""
        if self.shop is not None:
            self.shop.book.close()

    def changes(self) -> list[Json] | None:
        """The orders that stand differently than at the beginning; None where they are not this conversation's own."""
        if self.shop is None:
            return None
        now = {order.order_id: order for order in self.shop.book.orders()}
        return [_change(before, now[before.order_id]) for before in self.orders if now[before.order_id] != before]


def _change(before: Order, after: Order) -> Json:
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    fields: Json = {name: {"before": old[name], "after": new[name]} for name in old if old[name] != new[name]}
    return {"order_id": before.order_id, "changed": fields}
