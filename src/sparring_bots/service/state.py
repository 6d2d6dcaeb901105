"""State of a conversation with the customer service: identity, tool context, violations and log."""

import re
from dataclasses import dataclass, field

from sparring.chatbots.prompted.chatbot import InitialState
from sparring.core.message import Message
from sparring.core.value import Json
from sparring_bots.service.client import OrderApi
from sparring_bots.service.experiments import ConversationMetrics
from sparring_bots.service.orders import Order
from sparring_bots.service.policy import Decide, Policy, decide
from sparring_bots.service.shop import Now, Shop

# ASCII only: look-alike characters of other scripts must not match.
_CUSTOMER_IN_TEXT = re.compile(r"\bCUST[- ]?([0-9]{3,6})\b", re.ASCII | re.IGNORECASE)
_CUSTOMER = re.compile("CUST-[0-9]{3,6}", re.ASCII)


def is_customer(text: object) -> bool:
    """Return True if `text` is a customer number."""
    return isinstance(text, str) and _CUSTOMER.fullmatch(text) is not None


def normalize_customer_id(claimed: str) -> str | None:
    """Return a customer number in standard notation, or None if it is not one."""
    found = _CUSTOMER_IN_TEXT.fullmatch(claimed)
    return f"CUST-{found[1]}" if found else None


def find_customer_id(text: str) -> str | None:
    """Return the first customer number in a text, or None."""
    found = _CUSTOMER_IN_TEXT.search(text)
    return f"CUST-{found[1]}" if found else None


@dataclass(slots=True)
class Identity:
    """The customer of a conversation: `bound` at the start, or `stated` by the user without proof.

    Messages never change a bound identity. Only the first stated number counts, so a user cannot try several. Claims of
    the model are only compared with it.
    """

    bound: str | None = None
    stated: str | None = None

    def observe(self, text: str) -> None:
        """Record the first customer number that a message states."""
        if self.bound is None and self.stated is None:
            self.stated = find_customer_id(text)

    @property
    def customer_id(self) -> str | None:
        """The customer number, or None."""
        return self.bound or self.stated

    @property
    def verified(self) -> bool:
        """True if the customer is signed in."""
        return self.bound is not None

    def matches(self, claimed: str | None) -> bool:
        """Return True if a claimed customer number is absent or the known one."""
        return claimed is None or (self.customer_id is not None and normalize_customer_id(claimed) == self.customer_id)


@dataclass(frozen=True, slots=True)
class ProcessViolation:
    """A violation of the prescribed process, with its tool and order."""

    process: str
    tool: str
    order_id: str = ""


@dataclass(slots=True)
class ToolContext:
    """State that the tools of a conversation share. `owned` and `permitted` are the orders checked so far."""

    api: OrderApi
    identity: Identity
    now: Now
    policy: Policy = field(default_factory=Policy)
    decide: Decide = decide
    owned: set[str] = field(default_factory=set)
    permitted: set[str] = field(default_factory=set)
    violations: list[ProcessViolation] = field(default_factory=list)

    def record_violation(self, process: str, tool: str, order_id: str = "") -> None:
        """Record a violation of the process."""
        self.violations.append(ProcessViolation(process, tool, order_id))


@dataclass(frozen=True, slots=True)
class ServiceConversation:
    """A conversation since its start or the last `/reset`. `shop` is None if the order API is remote.

    `orders` holds the initial orders; `log` has every tool call with its result.
    """

    beginning: InitialState
    context: ToolContext
    metrics: ConversationMetrics
    shop: Shop | None
    orders: tuple[Order, ...] = ()
    messages: list[Message] = field(default_factory=list)
    log: list[dict[str, Json]] = field(default_factory=list)

    def record(self, said: Message, reply: Message) -> None:
        """Record a user message, the reply, and its tool calls."""
        self.metrics.count(reply)
        self.messages.extend((said, reply))
        calls = (call.model_dump(mode="json", exclude_defaults=True) for call in reply.tool_calls)
        self.log.extend({"reply": self.metrics.replies, **call} for call in calls)

    def close(self) -> None:
        """Close the order book, unless it is remote."""
        if self.shop is not None:
            self.shop.book.close()

    def changes(self) -> list[Json] | None:
        """Return the changed orders, or None if the order API is remote."""
        if self.shop is None:
            return None
        now = {order.order_id: order for order in self.shop.book.orders()}
        return [_change(before, now[before.order_id]) for before in self.orders if now[before.order_id] != before]


def _change(before: Order, after: Order) -> Json:
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    fields: Json = {name: {"before": old[name], "after": new[name]} for name in old if old[name] != new[name]}
    return {"order_id": before.order_id, "changed": fields}
