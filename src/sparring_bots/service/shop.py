"""A shop for the order API: sample customers and orders, kept in SQLite, with a clock and a policy."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from sparring import parsing
from sparring.core.errors import InputError
from sparring.core.value import Value
from sparring_bots.service.orders import Item, Order, OrderRecord, Status, Tracking
from sparring_bots.service.policy import Decide, Policy, decide


class _SampleOrder(Value):
    """An order, placed some days and hours ago."""

    id: str
    customer: str
    days: int
    hours: int = 0
    status: Status
    items: tuple[Item, ...]
    tracking: str | None = None
    note: str = ""

    def record(self, now: datetime) -> OrderRecord:
        """Return the order as it is stored."""
        age = timedelta(days=self.days, hours=self.hours)
        placed, updated = now - age, now - age / 2
        order = Order(
            order_id=self.id,
            customer_id=self.customer,
            order_date=placed,
            status=self.status,
            items=self.items,
            total_amount=sum((item.price * item.quantity for item in self.items), Decimal()),
            shipping_address=_SAMPLE.addresses[self.customer],
            note=self.note,
            cancelled_at=updated if self.status is Status.CANCELLED else None,
        )
        tracking = Tracking(
            order_id=self.id,
            status=self.status,
            tracking_number=self.tracking,
            estimated_delivery=_delivery_date(self.status, now),
            last_update=updated,
        )
        return OrderRecord(order=order, tracking=tracking)


class _SampleData(Value):
    customers: dict[str, str]
    addresses: dict[str, str]
    orders: tuple[_SampleOrder, ...]


_SAMPLE = parsing.validate(parsing.load(Path(__file__).with_name("sample_data.yaml")), _SampleData)
CUSTOMERS = _SAMPLE.customers


def sample_orders(now: datetime) -> tuple[OrderRecord, ...]:
    """Return all sample orders, dated relative to `now`."""
    return tuple(each.record(now) for each in _SAMPLE.orders)


def _delivery_date(status: Status, now: datetime) -> date | None:
    """Return the expected delivery date of an order that is not delivered or cancelled, else None."""
    days = {Status.PENDING: 6, Status.PROCESSING: 4, Status.SHIPPED: 2}.get(status)
    return None if days is None else (now + timedelta(days=days)).date()


Rows = Callable[[], Iterable[OrderRecord]]

_SCHEMA = """
create table if not exists customers (customer_id text primary key, name text not null) strict;
create table if not exists orders (
    order_id text primary key,
    customer_id text not null references customers,
    status text not null,
    cancelled_at text,
    last_update text not null,
    reason text not null default '',
    placed text not null,
    tracking text not null
) strict;
create index if not exists orders_of on orders (customer_id);
"""
_READ = "select status, cancelled_at, last_update, placed, tracking from orders"


class OrderBook:
    """The orders of a shop.

    Fields that change have their own columns; the rest of an order is stored as placed.

    Cancelling is atomic: of several concurrent attempts, also from several processes, exactly one succeeds.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._connection = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        try:
            if path is not None:
                self._connection.execute("pragma journal_mode=wal")
            self._connection.executescript(_SCHEMA)
        except BaseException:
            self.close()
            raise

    def fill(self, customers: Mapping[str, str], rows: Iterable[OrderRecord]) -> None:
        """Insert missing customers and orders."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("begin immediate")
            cursor.executemany("insert or ignore into customers values (?, ?)", customers.items())
            cursor.executemany(
                "insert or ignore into orders values (?, ?, ?, ?, ?, '', ?, ?)", [_to_row(row) for row in rows]
            )
            cursor.execute("commit")

    def find(self, order_id: str) -> OrderRecord | None:
        """Return the order with this id and its tracking data, or None."""
        row = self._connection.execute(f"{_READ} where order_id = ?", (order_id,)).fetchone()
        return None if row is None else _from_row(row)

    def orders(self, customer_id: str | None = None) -> tuple[Order, ...]:
        """Return the orders of one customer, or all orders, sorted by id."""
        where, values = ("", ()) if customer_id is None else (" where customer_id = ?", (customer_id,))
        rows = self._connection.execute(f"{_READ}{where} order by order_id", values)
        return tuple(_from_row(row).order for row in rows)

    def has_customer(self, customer_id: str) -> bool:
        """Return True if the customer exists, even without orders."""
        found = self._connection.execute("select 1 from customers where customer_id = ?", (customer_id,))
        return found.fetchone() is not None

    def cancel(self, order_id: str, expected: Status, at: datetime, reason: str) -> bool:
        """Cancel an order if it still has the expected status. Return True if it had."""
        done = self._connection.execute(
            "update orders set status = ?, cancelled_at = ?, last_update = ?, reason = ? "
            "where order_id = ? and status = ?",
            (Status.CANCELLED, at.isoformat(), at.isoformat(), reason, order_id, expected),
        )
        return done.rowcount == 1

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def _to_row(row: OrderRecord) -> tuple[str | None, ...]:
    order, tracking = row.order, row.tracking
    cancelled = order.cancelled_at.isoformat() if order.cancelled_at else None
    return (
        order.order_id,
        order.customer_id,
        order.status,
        cancelled,
        tracking.last_update.isoformat(),
        order.model_dump_json(),
        tracking.model_dump_json(),
    )


def _from_row(row: tuple[str, str | None, str, str, str]) -> OrderRecord:
    status, cancelled, updated, placed, tracking = row
    order = Order.model_validate_json(placed)
    where = Tracking.model_validate_json(tracking)
    now = Status(status)
    return OrderRecord(
        order=order.model_copy(
            update={"status": now, "cancelled_at": datetime.fromisoformat(cancelled) if cancelled else None}
        ),
        tracking=where.model_copy(
            update={
                "status": now,
                "last_update": datetime.fromisoformat(updated),
                "estimated_delivery": None if now is Status.CANCELLED else where.estimated_delivery,
            }
        ),
    )


Now = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Shop:
    """A shop. `decide` and `open_to_all` change only with a planted fault."""

    book: OrderBook
    now: Now
    policy: Policy = field(default_factory=Policy)
    decide: Decide = decide
    open_to_all: bool = False


def sample_shop(now: Now, *, path: Path | None = None, policy: Policy | None = None) -> Shop:
    """Create a shop with the sample orders, dated relative to now.

    Orders that the database file already contains are kept. Raise `InputError` if the file cannot be used.
    """
    try:
        book = _filled(OrderBook(path), now())
    except sqlite3.Error as error:
        raise InputError(
            f"cannot use {path} as a database: {error}", hint="name a file that does not exist yet"
        ) from error
    return Shop(book, now, policy or Policy())


def _filled(book: OrderBook, at: datetime) -> OrderBook:
    try:
        book.fill(CUSTOMERS, sample_orders(at))
    except BaseException:
        book.close()
        raise
    return book
