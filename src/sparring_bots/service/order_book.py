"""The order book: orders in SQLite, in memory or in a file."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sparring_bots.service.orders import Order, Status, Stored, Tracking

Rows = Callable[[], Iterable[Stored]]

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
    """The orders of a shop. What changes has a column of its own; the rest of an order is as it was placed.

    The database decides who cancels an order: of any number that try at once, in any number of processes, one does.
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

    def fill(self, customers: Mapping[str, str], rows: Iterable[Stored]) -> None:
        """Put customers and orders in, those that are not there yet."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("begin immediate")
            cursor.executemany("insert or ignore into customers values (?, ?)", customers.items())
            cursor.executemany(
                "insert or ignore into orders values (?, ?, ?, ?, ?, '', ?, ?)", [_columns(row) for row in rows]
            )
            cursor.execute("commit")

    def find(self, order_id: str) -> Stored | None:
        """The order with this id and where it is."""
        row = self._connection.execute(f"{_READ} where order_id = ?", (order_id,)).fetchone()
        return None if row is None else _stored(row)

    def orders(self, customer_id: str | None = None) -> tuple[Order, ...]:
        """The orders of one customer, or all there are, by their ids."""
        where, values = ("", ()) if customer_id is None else (" where customer_id = ?", (customer_id,))
        rows = self._connection.execute(f"{_READ}{where} order by order_id", values)
        return tuple(_stored(row).order for row in rows)

    def knows(self, customer_id: str) -> bool:
        """Whether there is such a customer, with orders or without."""
        found = self._connection.execute("select 1 from customers where customer_id = ?", (customer_id,))
        return found.fetchone() is not None

    def cancel(self, order_id: str, standing: Status, at: datetime, reason: str) -> bool:
        """Cancel an order if it still stands as it did when that was decided; whether it did."""
        done = self._connection.execute(
            "update orders set status = ?, cancelled_at = ?, last_update = ?, reason = ? "
            "where order_id = ? and status = ?",
            (Status.CANCELLED, at.isoformat(), at.isoformat(), reason, order_id, standing),
        )
        return done.rowcount == 1

    def close(self) -> None:
        """Give the database back."""
        self._connection.close()


def _columns(row: Stored) -> tuple[str | None, ...]:
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


def _stored(row: tuple[str, str | None, str, str, str]) -> Stored:
    status, cancelled, updated, placed, tracking = row
    order = Order.model_validate_json(placed)
    where = Tracking.model_validate_json(tracking)
    now = Status(status)
    return Stored(
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
