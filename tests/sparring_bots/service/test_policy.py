"""When an order can be cancelled, to the second and wherever the clocks are."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sparring_bots.service.orders import Item, Order, Status
from sparring_bots.service.policy import Code, Details, Policy, days_old, decide, summary
from sparring_bots.service.shop import sample_orders
from tables import table

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def order(age: timedelta, status: Status = Status.PENDING, now: datetime = NOW) -> Order:
    return Order(
        order_id="ORD-001",
        customer_id="CUST-001",
        order_date=now - age,
        status=status,
        items=(Item(name="Lamp", price=Decimal(5)),),
        total_amount=Decimal(5),
        shipping_address="1 Sample Street",
    )


def eligible(age: timedelta, **policy: object) -> bool:
    return decide(order(age), "CUST-001", NOW, Policy.model_validate(policy)).eligible


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(0), True),
        (9 * DAY, True),
        (10 * DAY, True),
        (10 * DAY + timedelta(hours=23, minutes=59, seconds=59, microseconds=999_999), True),
        (11 * DAY, False),
        (30 * DAY, False),
    ],
    ids=str,
)
def test_whole_days_that_have_passed_are_counted(age: timedelta, expected: bool):
    assert eligible(age) is expected


@pytest.mark.parametrize(("age", "expected"), [(10 * DAY, True), (10 * DAY + timedelta(microseconds=1), False)])
def test_exactly_means_to_the_microsecond(age: timedelta, expected: bool):
    assert eligible(age, boundary="exact") is expected


def test_the_calendar_counts_midnights_of_its_zone():
    before_midnight_in_berlin = datetime(2026, 1, 4, 22, 59, tzinfo=UTC)
    after_midnight_in_berlin = datetime(2026, 1, 4, 23, 1, tzinfo=UTC)
    policy = Policy(boundary="calendar", zone="Europe/Berlin")

    assert days_old(before_midnight_in_berlin, NOW, policy) == 11
    assert days_old(after_midnight_in_berlin, NOW, policy) == 10


moments = st.integers(0, 10 * 366 * 24 * 3600).map(
    lambda seconds: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(0, seconds)
)
zones = st.sampled_from([UTC, BERLIN, NEW_YORK, ZoneInfo("Asia/Kathmandu"), timezone(timedelta(hours=14))])
near_the_boundary = st.builds(
    lambda days, seconds: timedelta(days=days, seconds=seconds), st.integers(9, 11), st.integers(-5, 5)
)


@given(now=moments, age=near_the_boundary, window=st.integers(9, 11), written_in=zones, asked_in=zones)
def test_neither_time_zones_nor_summer_time_change_what_is_eligible(now, age, window, written_in, asked_in):
    placed = (now - age).astimezone(written_in)
    one = order(timedelta(0)).model_copy(update={"order_date": placed})

    found = decide(one, "CUST-001", now.astimezone(asked_in), Policy(window_days=window))

    assert found.details.days_old == age // DAY
    assert found.eligible is (age // DAY <= window)


@given(now=moments, age=near_the_boundary)
def test_older_orders_are_never_eligible_when_younger_ones_are_not(now, age):
    for boundary in ("whole_days", "exact", "calendar"):
        policy = Policy(boundary=boundary, zone="Europe/Berlin")
        younger, older = (
            decide(order(age + more, now=now), "CUST-001", now, policy).eligible
            for more in (timedelta(0), timedelta(hours=1))
        )
        assert younger or not older


@pytest.mark.parametrize(
    "switch",
    [datetime(2026, 3, 29, 12, tzinfo=BERLIN), datetime(2026, 10, 25, 12, tzinfo=BERLIN)],
    ids=["spring", "autumn"],
)
def test_ten_days_over_a_change_of_clocks_are_240_hours(switch: datetime):
    now = switch + timedelta(days=5)
    placed = now.astimezone(UTC) - timedelta(hours=264)

    assert days_old(placed.astimezone(BERLIN), now, Policy()) == 11
    assert days_old((placed + timedelta(seconds=1)).astimezone(BERLIN), now, Policy()) == 10


@table(
    ("status", "age", "violations"),
    [
        (Status.PENDING, DAY, ()),
        (Status.PROCESSING, DAY, ()),
        (Status.SHIPPED, DAY, ()),
        (Status.DELIVERED, DAY, (Code.ALREADY_DELIVERED,)),
        (Status.CANCELLED, DAY, (Code.ALREADY_CANCELLED,)),
        (Status.SHIPPED, 11 * DAY, (Code.OUTSIDE_WINDOW,)),
        (Status.CANCELLED, 30 * DAY, (Code.ALREADY_CANCELLED, Code.OUTSIDE_WINDOW)),
        (Status.PENDING, -timedelta(minutes=5), ()),
        (Status.PENDING, -timedelta(minutes=5, seconds=1), (Code.ORDER_DATE_IN_FUTURE,)),
    ],
)
def test_the_first_violation_is_the_code_and_all_are_in_the_details(
    status: Status, age: timedelta, violations: tuple[Code, ...]
):
    found = decide(order(age, status), "CUST-001", NOW, Policy())

    days = max(0, age // DAY)
    assert found.details == Details(violations=violations, days_old=days, window_days=10, status=status)
    assert (found.eligible, found.code) == (not violations, violations[0] if violations else None)


def test_nothing_of_an_order_of_another_customer_is_disclosed():
    found = decide(order(30 * DAY, Status.CANCELLED), "CUST-002", NOW, Policy())

    assert (found.eligible, found.code) == (False, Code.NOT_OWNER)
    assert found.details == Details(violations=(Code.NOT_OWNER,))
    assert found.reason == "This order belongs to another customer."


def test_an_order_that_is_not_there_is_not_found_before_anything_else():
    assert decide(None, "CUST-001", NOW, Policy()).code is Code.ORDER_NOT_FOUND


def test_the_reason_names_the_figures():
    assert decide(order(11 * DAY), "CUST-001", NOW, Policy()).reason == (
        "It was placed 11 days ago, and cancelling is possible for 10 days only."
    )
    assert decide(order(DAY, Status.SHIPPED), "CUST-001", NOW, Policy(window_days=3)).reason == (
        "It was placed 1 day ago, and cancelling is possible for 3 days. It is in transit already."
    )


def test_the_summary_says_what_the_policy_is():
    assert summary(Policy(window_days=7, boundary="calendar", zone="Europe/Berlin")).splitlines() == [
        "- An order can be cancelled up to 7 days after it was placed, "
        "counted in days of the calendar (Europe/Berlin); an older one cannot.",
        "- It must not be delivered or cancelled; pending, processing, shipped orders can be cancelled.",
        "- Only the customer who placed an order can cancel it.",
    ]


def test_an_order_without_a_time_zone_is_taken_to_be_in_utc_with_a_warning():
    with pytest.warns(UserWarning, match="has no time zone and is taken to be in UTC"):
        naive = Order.model_validate({**order(DAY).model_dump(), "order_date": "2026-01-14T12:00:00"})

    assert naive.order_date == datetime(2026, 1, 14, 12, tzinfo=UTC)


def test_a_time_zone_that_there_is_not_is_refused():
    with pytest.raises(ValidationError, match="unknown time zone 'Mars/Olympus'"):
        Policy(zone="Mars/Olympus")


def test_the_sample_orders_are_of_all_ages_and_statuses():
    rows = [row.order for row in sample_orders(NOW)]
    ages = {days_old(row.order_date, NOW, Policy()) for row in rows}

    assert len(rows) == len({row.order_id for row in rows}) == 15
    assert ages >= {0, 3, 9, 10, 11, 30}
    assert {row.status for row in rows} == set(Status)
    assert decide(rows[0], rows[0].customer_id, NOW, Policy()).eligible
