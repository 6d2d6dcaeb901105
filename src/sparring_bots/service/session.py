"""One conversation with the customer service.

The slash commands of a live chat: what the tester may see of the orders, which customers may not.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from sparring.chatbots.prompted.session import PromptedSession
from sparring.core.message import Message
from sparring.core.value import Json
from sparring.llm.model import words
from sparring_bots.service.client import ApiFailed
from sparring_bots.service.errors import Refusal
from sparring_bots.service.orders import Order
from sparring_bots.service.policy import Decision, days_old
from sparring_bots.service.shop import Now
from sparring_bots.service.state import Opened

_SHARED = "The orders are behind an API that is not this chat's own"


@dataclass(frozen=True)
class Commands:
    """The commands of one conversation, which a `/reset` makes another one; `now` is the time for names of files."""

    opened: Callable[[], Opened]
    begin_anew: Callable[[], None]
    now: Now

    def known(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """All commands, by their names."""
        own = (self.database, self.orders, self.order, self.metrics, self.reset, self.export)
        return {command.__name__: command for command in own}

    async def database(self, _: str) -> str:
        """all orders, and whether each can be cancelled"""
        shop = self.opened().shop
        if shop is None:
            return f"{_SHARED}: /orders CUSTOMER lists those of one customer."
        return self._table(shop.book.orders())

    async def orders(self, customer: str) -> str:
        """CUSTOMER: the orders of one customer, such as /orders CUST-001"""
        if not (customer := customer.strip()):
            return "Whose orders? Such as: /orders CUST-001"
        try:
            found = await self.opened().desk.api.orders(customer)
        except ApiFailed as error:
            return f"That failed: {error}."
        if isinstance(found, Refusal):
            return found.message
        return self._table(found) if found else f"{customer} has no orders."

    async def order(self, order_id: str) -> str:
        """ID: one order, with its eligibility, such as /order ORD-001"""
        if not (order_id := order_id.strip()):
            return "Which order? Such as: /order ORD-001"
        api = self.opened().desk.api
        try:
            found, where = await api.order(order_id), await api.tracking(order_id)
        except ApiFailed as error:
            return f"That failed: {error}."
        if isinstance(found, Refusal) or isinstance(where, Refusal):
            return "There is no such order."
        lines = [f"{name}: {value}" for name, value in _shown(found)]
        lines += [f"{name}: {value}" for name, value in where if value and name in _WHERE]
        return "\n".join([*lines, f"cancelling: {self._decision(found).reason}"])

    async def metrics(self, _: str) -> str:
        """what this conversation took: replies, tokens, tool calls"""
        told = self.opened().metrics.told()
        words = [f"{name}: {'unknown' if value is None else _plain(value)}" for name, value in told.items()]
        return "\n".join([*words, f"process_violations: {_plain(_by_kind(self.opened()))}"])

    async def reset(self, _: str) -> str:
        """begin anew: the conversation, the figures and the orders"""
        if self.opened().shop is None:
            return f"{_SHARED}, so it cannot put them back. Start another chat to begin anew."
        self.begin_anew()
        return "Everything is as it was at the beginning: the conversation, the figures and the orders."

    async def export(self, _: str) -> str:
        """write the conversation, its figures, tool calls and changed orders to a JSON file"""
        content = orjson.dumps(self._exported(), option=orjson.OPT_INDENT_2)
        try:
            path = _free(f"service-{self.now():%Y%m%dT%H%M%SZ}")
            path.write_bytes(content)
        except OSError as error:
            return f"It cannot be written to the current folder: {error.strerror}."
        return f"Written to {path}"

    def _exported(self) -> dict[str, Json]:
        opened = self.opened()
        identity = opened.desk.identity
        violations: list[Json] = [asdict(violation) for violation in opened.desk.violations]
        return {
            "exported_at": self.now().isoformat(),
            "customer_id": identity.customer_id,
            "verified": identity.verified,
            "metrics": opened.metrics.told(),
            "messages": [{"role": message.role, "text": message.text} for message in opened.messages],
            "tool_log": [*opened.log],
            "process_violations": violations,
            "orders_changed": opened.changes(),
        }

    def _decision(self, order: Order) -> Decision:
        opened = self.opened()
        at = opened.shop or opened.desk
        return at.decide(order, order.customer_id, at.now(), at.policy)

    def _table(self, orders: Iterable[Order]) -> str:
        desk = self.opened().desk
        return "\n".join(
            f"{order.order_id}  {order.customer_id}  {order.order_date:%Y-%m-%d}  "
            f"{days_old(order.order_date, desk.now(), desk.policy):>3} days  {order.status:<10}  "
            f"{order.total_amount:>7} {order.currency}  {self._decision(order).code or 'can be cancelled'}"
            for order in orders
        )


_WHERE = ("tracking_number", "estimated_delivery", "last_update")


def _shown(order: Order) -> Iterable[tuple[str, str]]:
    items = ", ".join(f"{item.quantity} × {item.name} at {item.price}" for item in order.items)
    shown = {**order.model_dump(mode="json", exclude={"items"}, exclude_none=True), "items": items}
    return ((name, str(value)) for name, value in shown.items() if value != "")


def _by_kind(opened: Opened) -> dict[str, int]:
    kinds = [violation.process for violation in opened.desk.violations]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
    return str(value)


def _free(name: str) -> Path:
    """A file of this name in the current folder that is not there yet."""
    path, number = Path.cwd() / f"{name}.json", 1
    while path.exists():
        number += 1
        path = Path.cwd() / f"{name}-{number}.json"
    return path


class ServiceSession(PromptedSession):
    """A conversation that knows its customer and keeps account of what it does; it can begin anew."""

    def __init__(self, begin: Callable[[], Opened], now: Now) -> None:
        self._begin = begin
        self._now = now
        self._start()

    @property
    def welcome(self) -> str:
        """What to try, for whoever talks to it live."""
        customer = self.opened.desk.identity.bound
        who = f"You are customer {customer}." if customer else "Nobody is signed in: say who you are, such as CUST-001."
        return f"{who} Try: Where is my order ORD-002? Can I cancel ORD-003? Please cancel ORD-001."

    async def reply(self, message: Message) -> Message:
        """The reply, after the customer's number was taken down, if it is wanted and the message has one."""
        self.opened.desk.identity.hear(words(message))
        reply = await super().reply(message)
        self.opened.record(message, reply)
        return reply

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """What a live chat can ask for besides talking."""
        return Commands(lambda: self.opened, self._reset, self._now).known()

    def _reset(self) -> None:
        """Forget what was said, the figures, and what became of the orders."""
        self.opened.close()
        self._start()

    def _start(self) -> None:
        self.opened = self._begin()
        super().__init__(*self.opened.beginning)
