"""A shop: its orders, its clock and its policy; everything the order API needs to know."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sparring.core.errors import InputError
from sparring_bots.service.order_book import OrderBook
from sparring_bots.service.policy import Decide, Policy, decide
from sparring_bots.service.sample_data import CUSTOMERS, samples

Now = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Shop:
    """A shop; `decide` says who may cancel what, and is the policy's own unless a fault is planted."""

    book: OrderBook
    now: Now
    policy: Policy = field(default_factory=Policy)
    decide: Decide = decide
    open_to_all: bool = False


def sample_shop(now: Now, *, path: Path | None = None, policy: Policy | None = None) -> Shop:
    """A shop with the sample orders, as old at this moment as they are meant to be.

    A file that has orders already keeps them. An InputError says why it cannot be used.
    """
    try:
        book = _filled(OrderBook(path), now())
    except sqlite3.Error as error:
        raise InputError(
            f"{path} cannot be used as a database: {error}", hint="name a file that is not there yet"
        ) from error
    return Shop(book, now, policy or Policy())


def _filled(book: OrderBook, at: datetime) -> OrderBook:
    try:
        book.fill(CUSTOMERS, samples(at))
    except BaseException:
        book.close()
        raise
    return book
