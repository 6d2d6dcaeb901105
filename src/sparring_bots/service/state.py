"""State of a conversation with the customer service: tool context, violations and log."""

from dataclasses import dataclass, field

from sparring.chatbots.prompted.chatbot import InitialState
from sparring.core.message import Message
from sparring.core.value import Json
from sparring_bots.service.client import OrderApi
from sparring_bots.service.experiments import ConversationMetrics
from sparring_bots.service.identity import Identity
from sparring_bots.service.orders import Order
from sparring_bots.service.policy import Decide, Policy, decide
from sparring_bots.service.shop import Now, Shop


@dataclass(frozen=True, slots=True)
class ProcessViolation:
    """A violation of the prescribed process, with its tool and order."""

    process: str
    tool: str
    order_id: str = ""


@dataclass(slots=True)
class ToolContext:
    """State that the tools of a conversation share. `owned` and `permitted` are the orders checked so far.

    `policy` is that of the order API, which tells a `remote` one.
    """

    api: OrderApi
    identity: Identity
    now: Now
    policy: Policy
    remote: bool = False
    decide: Decide = decide
    owned: set[str] = field(default_factory=set)
    permitted: set[str] = field(default_factory=set)
    violations: list[ProcessViolation] = field(default_factory=list)

    async def update_policy(self) -> None:
        """Ask a remote order API for its policy, which the chatbot has no settings for."""
        if self.remote:
            self.policy = await self.api.policy()

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
