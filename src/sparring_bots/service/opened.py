"""Everything that belongs to one conversation, from its beginning or from the last `/reset` on."""

from dataclasses import dataclass, field

from sparring.chatbots.prompted.chatbot import Beginning
from sparring.core.message import Message
from sparring.core.value import Json
from sparring_bots.service.desk import Desk
from sparring_bots.service.metrics import Metrics
from sparring_bots.service.orders import Order
from sparring_bots.service.shop import Shop


@dataclass(frozen=True, slots=True)
class Opened:
    """A conversation and what came of it. `shop` is None where the orders are behind an API that is not its own.

    `orders` are as they were at the beginning; `log` has every tool call with its result.
    """

    beginning: Beginning
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
