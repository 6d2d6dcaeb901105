"""A conversation with the customer service, and the slash commands of a live chat.

Slash commands are for testers, who may see all orders; customers may not.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from sparring.chatbots.prompted.session import PromptedSession
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json
from sparring.llm.model import words
from sparring_bots.service.client import OrderApiError
from sparring_bots.service.orders import Order
from sparring_bots.service.policy import Decision, Refusal, days_old
from sparring_bots.service.shop import Now
from sparring_bots.service.state import ServiceConversation

_SHARED = "This chat uses a shared order API"


@dataclass(frozen=True)
class SlashCommands:
    """Slash commands of a session. `conversation` returns the current one, which `/reset` replaces.

    The docstring of each command is its help text.
    """

    conversation: Callable[[], ServiceConversation]
    restart: Callable[[], None]
    now: Now

    def known(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """Return all commands by name."""
        own = (self.database, self.orders, self.order, self.metrics, self.reset, self.export)
        return {command.__name__: command for command in own}

    async def database(self, _: str) -> str:
        """all orders, and whether each can be cancelled"""
        shop = self.conversation().shop
        if shop is None:
            return f"{_SHARED}. Use /orders CUSTOMER to list the orders of one customer."
        return self._table(shop.book.orders())

    async def orders(self, customer: str) -> str:
        """CUSTOMER: the orders of one customer, such as /orders CUST-001"""
        if not (customer := customer.strip()):
            return "Customer missing. Example: /orders CUST-001"
        try:
            await self.conversation().context.update_policy()
            found = await self.conversation().context.api.orders(customer)
        except OrderApiError as error:
            return f"That failed: {error}."
        if isinstance(found, Refusal):
            return found.message
        return self._table(found) if found else f"{customer} has no orders."

    async def order(self, order_id: str) -> str:
        """ID: one order, with its eligibility, such as /order ORD-001"""
        if not (order_id := order_id.strip()):
            return "Order missing. Example: /order ORD-001"
        api = self.conversation().context.api
        try:
            await self.conversation().context.update_policy()
            found, where = await api.order(order_id), await api.tracking(order_id)
        except OrderApiError as error:
            return f"That failed: {error}."
        if isinstance(found, Refusal) or isinstance(where, Refusal):
            return "There is no such order."
        lines = [f"{name}: {value}" for name, value in _order_lines(found)]
        lines += [f"{name}: {value}" for name, value in where if value and name in _TRACKING_FIELDS]
        return "\n".join([*lines, f"cancelling: {self._decision(found).reason}"])

    async def metrics(self, _: str) -> str:
        """usage of this conversation: replies, tokens, tool calls"""
        metrics = self.conversation().metrics.as_json()
        words = [f"{name}: {'unknown' if value is None else _as_text(value)}" for name, value in metrics.items()]
        return "\n".join([*words, f"process_violations: {_as_text(_violation_counts(self.conversation()))}"])

    async def reset(self, _: str) -> str:
        """start over: reset the conversation, its metrics and the orders"""
        if self.conversation().shop is None:
            return f"{_SHARED} and cannot reset it. Start another chat instead."
        self.restart()
        return "The conversation, its metrics and the orders are reset."

    async def export(self, _: str) -> str:
        """write the conversation, its metrics, tool calls and changed orders to a JSON file"""
        content = orjson.dumps(self._exported(), option=orjson.OPT_INDENT_2)
        try:
            path = _unused_path(f"service-{self.now():%Y%m%dT%H%M%SZ}")
            path.write_bytes(content)
        except OSError as error:
            return f"Cannot write to the current folder: {error.strerror}."
        return f"Written to {path}"

    def _exported(self) -> dict[str, Json]:
        conversation = self.conversation()
        identity = conversation.context.identity
        violations: list[Json] = [asdict(violation) for violation in conversation.context.violations]
        return {
            "exported_at": self.now().isoformat(),
            "customer_id": identity.customer_id,
            "verified": identity.verified,
            "metrics": conversation.metrics.as_json(),
            "messages": [{"role": message.role, "text": message.text} for message in conversation.messages],
            "tool_log": [*conversation.log],
            "process_violations": violations,
            "orders_changed": conversation.changes(),
        }

    def _decision(self, order: Order) -> Decision:
        conversation = self.conversation()
        at = conversation.shop or conversation.context
        return at.decide(order, order.customer_id, at.now(), at.policy)

    def _table(self, orders: Iterable[Order]) -> str:
        context = self.conversation().context
        return "\n".join(
            f"{order.order_id}  {order.customer_id}  {order.order_date:%Y-%m-%d}  "
            f"{days_old(order.order_date, context.now(), context.policy):>3} days  {order.status:<10}  "
            f"{order.total_amount:>7} {order.currency}  {self._decision(order).code or 'can be cancelled'}"
            for order in orders
        )


_TRACKING_FIELDS = ("tracking_number", "estimated_delivery", "last_update")


def _order_lines(order: Order) -> Iterable[tuple[str, str]]:
    items = ", ".join(f"{item.quantity} × {item.name} at {item.price}" for item in order.items)
    shown = {**order.model_dump(mode="json", exclude={"items"}, exclude_none=True), "items": items}
    return ((name, str(value)) for name, value in shown.items() if value != "")


def _violation_counts(conversation: ServiceConversation) -> dict[str, int]:
    kinds = [violation.process for violation in conversation.context.violations]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def _as_text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
    return str(value)


def _unused_path(name: str) -> Path:
    """Return a path in the current folder that does not exist yet."""
    path, number = Path.cwd() / f"{name}.json", 1
    while path.exists():
        number += 1
        path = Path.cwd() / f"{name}-{number}.json"
    return path


class ServiceSession(PromptedSession):
    """A session that tracks its customer, metrics and violations, and can be reset."""

    def __init__(self, begin: Callable[[], ServiceConversation], now: Now) -> None:
        self._begin = begin
        self._now = now
        self._start()

    @property
    def welcome(self) -> str:
        """Suggestions for a live chat."""
        customer = self.conversation.context.identity.bound
        who = (
            f"You are customer {customer}."
            if customer
            else "You are not signed in: state your customer number, such as CUST-001."
        )
        return f"{who} Try: Where is my order ORD-002? Can I cancel ORD-003? Please cancel ORD-001."

    async def reply(self, message: Message) -> Message:
        """Record the customer's number if the message states one, and return the reply."""
        self.conversation.context.identity.observe(words(message))
        reply = await super().reply(message)
        self.conversation.record(message, reply)
        return reply

    async def state(self) -> object:
        """Return the orders, as far as they may change."""
        shop = self.conversation.shop
        fields = {"customer_id", "status", "cancelled_at"}
        orders = shop.book.orders() if shop else ()
        return {"orders": {order.order_id: order.model_dump(mode="json", include=fields) for order in orders}}

    async def call_tool(self, name: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call a tool for the customer that the arguments name."""
        self.conversation.context.identity.observe(str(arguments.get("customer_id", "")))
        return await super().call_tool(name, arguments)

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """Return the slash commands of a live chat."""
        return SlashCommands(lambda: self.conversation, self._reset, self._now).known()

    def _reset(self) -> None:
        """Discard messages, metrics and changes of orders."""
        self.conversation.close()
        self._start()

    def _start(self) -> None:
        self.conversation = self._begin()
        super().__init__(*self.conversation.beginning)
