"""What a shop knows: customers, their orders, and where these are."""

import warnings
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from sparring.core.value import Value


class Status(StrEnum):
    """Where an order stands."""

    PENDING = "pending"
    PROCESSING = "processing"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC. One without a time zone is taken to be in UTC already, which is worth a warning."""
    if moment.tzinfo is None:
        warnings.warn(f"{moment.isoformat()} has no time zone and is taken to be in UTC", stacklevel=2)
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(in_utc)]
"""A moment, kept in UTC whatever zone it was written in."""

Money = Annotated[Decimal, Field(ge=0, decimal_places=2, max_digits=12)]


class Item(Value):
    """Something that was ordered; `price` is that of one."""

    name: str
    quantity: Annotated[int, Field(ge=1)] = 1
    price: Money


class Order(Value):
    """An order as it stands; `note` is what the customer wrote about it."""

    order_id: str
    customer_id: str
    order_date: Moment
    status: Status
    items: tuple[Item, ...]
    total_amount: Money
    currency: str = "USD"
    shipping_address: str
    note: str = ""
    cancelled_at: Moment | None = None


class Tracking(Value):
    """Where an order is."""

    order_id: str
    status: Status
    tracking_number: str | None = None
    estimated_delivery: date | None = None
    last_update: Moment


class Stored(Value):
    """An order and where it is, as one row of the book."""

    order: Order
    tracking: Tracking
