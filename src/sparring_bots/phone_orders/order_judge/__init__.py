"""The judge of phone orders: it compares the order that was placed with the order that was wanted."""

from importlib.resources import files

RUBRIC = files("sparring_bots.phone_orders.order_judge") / "order.md"
"""The rubric `order`, for judges that are models."""
