"""The cancellation policy, shared by API, tools and prompt, and the errors of the order API."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, NonNegativeInt, ValidationError

from sparring.core.errors import InputError, Problem
from sparring.core.value import Json, Value
from sparring_bots.service.orders import Order, Status, in_utc


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


DAY = timedelta(days=1)
CLOCK_SKEW = timedelta(minutes=5)
"""Tolerated clock difference for order dates in the future."""


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name!r}") from error
    return name


class Policy(Value):
    """The cancellation policy.

    `boundary` defines "10 days": completed days of 24 hours (`whole_days`: until 10 days and 23:59:59 after the order),
    10 times 24 hours (`exact`), or days of the `calendar` in `zone`. `refused` maps statuses that exclude cancellation
    to their codes.
    """

    window_days: NonNegativeInt = 10
    boundary: Literal["whole_days", "exact", "calendar"] = "whole_days"
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    refused: dict[Status, Code] = {
        Status.CANCELLED: Code.ALREADY_CANCELLED,
        Status.DELIVERED: Code.ALREADY_DELIVERED,
    }


def read_policy(given: Mapping[str, Json]) -> Policy:
    """Return the policy with these settings. Raise `InputError` with all problems, by their options."""
    try:
        return Policy.model_validate(dict(given))
    except ValidationError as error:
        found = [f"{str(each['loc'][0]).replace('_', '-')}: {each['msg']}" for each in error.errors()]
        raise InputError([Problem(message=message) for message in found]) from error


class Decision(Value):
    """Result of a policy check: the first reason, and all violations in `details`."""

    eligible: bool
    code: Code | None = None
    reason: str
    details: Details = Details()


Decide = Callable[[Order | None, str, datetime, Policy], Decision]


def decide(order: Order | None, customer_id: str, now: datetime, policy: Policy) -> Decision:
    """Decide if the customer can cancel the order now. Reveals nothing about orders of other customers."""
    if order is None:
        return _refused(Code.ORDER_NOT_FOUND, "There is no such order.", Details(violations=(Code.ORDER_NOT_FOUND,)))
    if order.customer_id != customer_id:
        return _refused(
            Code.NOT_OWNER, "This order belongs to another customer.", Details(violations=(Code.NOT_OWNER,))
        )
    violations = tuple(_violations(order, now, policy))
    days = days_old(order.order_date, now, policy)
    details = Details(
        violations=violations,
        days_old=days,
        window_days=policy.window_days,
        status=order.status,
    )
    if violations:
        return _refused(violations[0], _reason(violations[0], details), details)
    reason = f"It was placed {ago(days)}, and cancelling is possible for {policy.window_days} days."
    transit = " It is in transit already." if order.status is Status.SHIPPED else ""
    return Decision(eligible=True, reason=reason + transit, details=details)


def days_old(placed: datetime, now: datetime, policy: Policy) -> int:
    """Return the age of an order in days as the policy counts them, at least 0."""
    # Convert to UTC first: Python subtracts times of the same zone without regard to daylight saving time.
    placed, now = in_utc(placed), in_utc(now)
    if policy.boundary == "calendar":
        zone = ZoneInfo(policy.zone)
        days = (now.astimezone(zone).date() - placed.astimezone(zone).date()).days
    else:
        days = (now - placed) // DAY
    return max(0, days)


def ago(days: int | None) -> str:
    """Return an age in words."""
    return "1 day ago" if days == 1 else f"{days} days ago" if days else "today"


def summary(policy: Policy) -> str:
    """Return the policy as text for the prompt."""
    counted = {
        "whole_days": "counted in whole days of 24 hours that have passed",
        "exact": "counted to the second",
        "calendar": f"counted in days of the calendar ({policy.zone})",
    }
    kept = [status.value for status in Status if status in policy.refused]
    allowed = [status.value for status in Status if status not in policy.refused]
    return "\n".join(
        [
            f"- An order can be cancelled up to {policy.window_days} days after it was placed, "
            f"{counted[policy.boundary]}; an older one cannot.",
            f"- It must not be {' or '.join(kept)}; {', '.join(allowed)} orders can be cancelled.",
            "- Only the customer who placed an order can cancel it.",
        ]
    )


def _violations(order: Order, now: datetime, policy: Policy) -> list[Code]:
    against = [policy.refused[order.status]] if order.status in policy.refused else []
    age = in_utc(now) - in_utc(order.order_date)
    if -age > CLOCK_SKEW:
        against.append(Code.ORDER_DATE_IN_FUTURE)
    elif not _in_window(order.order_date, now, policy):
        against.append(Code.OUTSIDE_WINDOW)
    return against


def _in_window(placed: datetime, now: datetime, policy: Policy) -> bool:
    if policy.boundary == "exact":
        return in_utc(now) - in_utc(placed) <= policy.window_days * DAY
    return days_old(placed, now, policy) <= policy.window_days


def _refused(code: Code, reason: str, details: Details) -> Decision:
    return Decision(eligible=False, code=code, reason=reason, details=details)


def _reason(code: Code, details: Details) -> str:
    if code is Code.OUTSIDE_WINDOW:
        return f"It was placed {ago(details.days_old)}, and cancelling is possible for {details.window_days} days only."
    return _REASONS[code]


_REASONS: Mapping[Code, str] = {
    Code.ALREADY_CANCELLED: "It is cancelled already.",
    Code.ALREADY_DELIVERED: "It has been delivered already.",
    Code.ORDER_DATE_IN_FUTURE: "Its date lies in the future, so something is wrong with it.",
}
