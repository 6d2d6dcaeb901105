"""The judge of phone orders: it compares the placed order with the requested one."""

from importlib.resources import files

RUBRIC = files("sparring_bots.phone_orders.order_judge") / "order.md"
"""The rubric `order`, for model judges."""
