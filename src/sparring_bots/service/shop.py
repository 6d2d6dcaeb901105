"""A shop for the order API: orders, clock and policy.

The order book stores the orders; `sample_data` defines them.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sparring.core.errors import InputError
from sparring_bots.service.order_book import OrderBook
from sparring_bots.service.policy import Decide, Policy, decide
from sparring_bots.service.sample_data import CUSTOMERS, sample_orders

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
