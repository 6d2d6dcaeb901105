"""Error codes and refusals of the order API, and their HTTP statuses."""

from collections.abc import Mapping
from enum import StrEnum

from sparring.core.value import Value
from sparring_bots.service.orders import Status


class Code(StrEnum):
    """Reason of a refusal."""

    ORDER_NOT_FOUND = "order_not_found"
    CUSTOMER_NOT_FOUND = "customer_not_found"
    NOT_OWNER = "not_owner"
    ALREADY_CANCELLED = "already_cancelled"
    ALREADY_DELIVERED = "already_delivered"
    OUTSIDE_WINDOW = "outside_window"
    ORDER_DATE_IN_FUTURE = "order_date_in_future"
    MALFORMED = "malformed"
    NO_SUCH_PATH = "no_such_path"
    METHOD_NOT_ALLOWED = "method_not_allowed"


HTTP: Mapping[Code, int] = {
    Code.ORDER_NOT_FOUND: 404,
    Code.CUSTOMER_NOT_FOUND: 404,
    Code.NO_SUCH_PATH: 404,
    Code.METHOD_NOT_ALLOWED: 405,
    Code.NOT_OWNER: 403,
    Code.ALREADY_CANCELLED: 409,
    Code.ALREADY_DELIVERED: 409,
    Code.OUTSIDE_WINDOW: 409,
    Code.ORDER_DATE_IN_FUTURE: 409,
    Code.MALFORMED: 422,
}
"""HTTP status of every refusal. Conflicts with the state of an order are always 409."""


class Details(Value):
    """Details of a refusal: all violations, and the figures of the decision.

    Empty for orders of other customers.
    """

    violations: tuple[Code, ...] = ()
    days_old: int | None = None
    window_days: int | None = None
    status: Status | None = None
    problems: tuple[str, ...] = ()


class Refusal(Value):
    """Body of every error response."""

    code: Code
    message: str
    details: Details = Details()


def refusal(code: Code, message: str) -> Refusal:
    """Return a refusal for one reason without further details."""
    return Refusal(code=code, message=message, details=Details(violations=(code,)))


class Refused(Exception):
    """A request was refused."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
