"""When an order can be cancelled: one function, which the API enforces, the tools ask and the prompt quotes."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, NonNegativeInt

from sparring.core.value import Value
from sparring_bots.service.errors import Code, Details
from sparring_bots.service.orders import Order, Status, in_utc

DAY = timedelta(days=1)
SKEW = timedelta(minutes=5)
"""How far ahead of ours the clock may be that wrote an order's date."""


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise ValueError(f"there is no time zone {name!r}") from error
    return name


class Policy(Value):
    """The rules of cancelling.

    `boundary` says what "10 days" means: `whole_days` of 24 hours that have passed (the last moment is 10 days and
    23:59:59 after the order), `exact`ly 10 times 24 hours, or days of the `calendar` in `zone`. `refused` are the
    statuses in which an order stays as it is.
    """

    window_days: NonNegativeInt = 10
    boundary: Literal["whole_days", "exact", "calendar"] = "whole_days"
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    refused: dict[Status, Code] = {
        Status.CANCELLED: Code.ALREADY_CANCELLED,
        Status.DELIVERED: Code.ALREADY_DELIVERED,
    }


class Decision(Value):
    """Whether an order can be cancelled, and if not, why: the first reason, and in the details all of them."""

    eligible: bool
    code: Code | None = None
    reason: str
    details: Details = Details()


Decide = Callable[[Order | None, str, datetime, Policy], Decision]


def decide(order: Order | None, customer_id: str, now: datetime, policy: Policy) -> Decision:
    """Whether this customer can cancel this order now. Nothing is told of an order that is somebody else's."""
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
    """The age of an order in days, as the policy counts them; never below 0."""
    # In UTC first: two times of one zone are subtracted as the clocks on its walls show them, summer time and all.
    placed, now = in_utc(placed), in_utc(now)
    if policy.boundary == "calendar":
        zone = ZoneInfo(policy.zone)
        days = (now.astimezone(zone).date() - placed.astimezone(zone).date()).days
    else:
        days = (now - placed) // DAY
    return max(0, days)


def ago(days: int | None) -> str:
    """An age in words."""
    return "1 day ago" if days == 1 else f"{days} days ago" if days else "today"


def summary(policy: Policy) -> str:
    """The policy in words, for the prompt and for people."""
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
    if -age > SKEW:
        against.append(Code.ORDER_DATE_IN_FUTURE)
    elif not _within(order.order_date, now, policy):
        against.append(Code.OUTSIDE_WINDOW)
    return against


def _within(placed: datetime, now: datetime, policy: Policy) -> bool:
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
