"""Values of the shop: orders, items and tracking data."""

import warnings
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from sparring.core.value import Value


class Status(StrEnum):
    """Status of an order."""

    PENDING = "pending"
    PROCESSING = "processing"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


def in_utc(moment: datetime) -> datetime:
    """Convert a time to UTC. A time without a zone counts as UTC, with a warning."""
    if moment.tzinfo is None:
        warnings.warn(f"{moment.isoformat()} has no time zone and is taken to be in UTC", stacklevel=2)
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


UtcTime = Annotated[datetime, AfterValidator(in_utc)]
"""A time, converted to UTC."""

Money = Annotated[Decimal, Field(ge=0, decimal_places=2, max_digits=12)]


class Item(Value):
    """An ordered item; `price` is the unit price."""

    name: str
    quantity: Annotated[int, Field(ge=1)] = 1
    price: Money


class Order(Value):
    """An order; `note` is a text of the customer."""

    order_id: str
    customer_id: str
    order_date: UtcTime
    status: Status
    items: tuple[Item, ...]
    total_amount: Money
    currency: str = "USD"
    shipping_address: str
    note: str = ""
    cancelled_at: UtcTime | None = None


class Tracking(Value):
    """Tracking data of an order."""

    order_id: str
    status: Status
    tracking_number: str | None = None
    estimated_delivery: date | None = None
    last_update: UtcTime


class OrderRecord(Value):
    """An order with its tracking data: one row of the order book."""

    order: Order
    tracking: Tracking
