"""Sample data: customers, and orders of various ages and statuses."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from sparring import parsing
from sparring.core.value import Value
from sparring_bots.service.orders import Item, Order, OrderRecord, Status, Tracking


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


_SAMPLE = parsing.validate(parsing.load(Path(__file__).with_suffix(".yaml")), _SampleData)
CUSTOMERS = _SAMPLE.customers


def sample_orders(now: datetime) -> tuple[OrderRecord, ...]:
    """Return all sample orders, dated relative to `now`."""
    return tuple(each.record(now) for each in _SAMPLE.orders)


def _delivery_date(status: Status, now: datetime) -> date | None:
    """Return the expected delivery date of an order that is not delivered or cancelled, else None."""
    days = {Status.PENDING: 6, Status.PROCESSING: 4, Status.SHIPPED: 2}.get(status)
    return None if days is None else (now + timedelta(days=days)).date()
