from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scenarios.date_values import (
    any_dates,
    date_range,
    dates_near_today,
    impossible_dates,
    parse_date,
    random_dates,
)
from tables import table

TODAY = date(2025, 3, 14)


def test_days_are_read_day_first_and_never_month_first():
    assert [parse_date("06/11/2024"), parse_date(" 1/2/2024 "), parse_date(TODAY)] == [
        date(2024, 11, 6),
        date(2024, 2, 1),
        TODAY,
    ]


@pytest.mark.parametrize("written", ["2024-11-06", "tomorrow", "31/02/2024", "06/13/2024"])
def test_what_is_no_day_is_refused(written: str):
    with pytest.raises(ValueError, match=r"should be a date written day/month/year|there is no such day"):
        parse_date(written)


@table(
    ("step", "days"),
    [
        ("day(20)", [(31, 1), (20, 2), (12, 3), (31, 3)]),
        ("month(1)", [(31, 1), (28, 2), (31, 3)]),
        ("year(1)", [(31, 1), (31, 3)]),
        ("linspace(3)", [(31, 1), (1, 3), (31, 3)]),
        ("linspace(1)", [(31, 1)]),
    ],
)
def test_steps_follow_the_calendar_and_end_with_the_last_day(step: str, days: list[tuple[int, int]]):
    assert date_range(date(2025, 1, 31), date(2025, 3, 31), step) == [date(2025, month, d) for d, month in days]


@given(st.dates(), st.integers(0, 4000), st.sampled_from(["day(7)", "month(2)", "year(3)", "linspace(5)"]))
def test_no_step_leaves_the_range(first: date, length: int, step: str):
    last = date.fromordinal(min(first.toordinal() + length, date.max.toordinal()))

    days = date_range(first, last, step)

    assert (days[0], days[-1], days) == (first, last, sorted(days))


@pytest.mark.parametrize(
    ("step", "complaint"),
    [("week(1)", "should be day"), ("day(0)", "should be day"), ("day(1)", "a range may hold 10,000 dates, not more")],
)
def test_a_step_that_cannot_be_taken_is_refused(step: str, complaint: str):
    with pytest.raises(ValueError, match=complaint):
        date_range(date(1900, 1, 1), date(2100, 1, 1), step)


@given(st.integers(0, 99))
def test_dates_around_today_lie_within_a_year(seed: int):
    later, earlier = (
        dates_near_today(">today(5)", TODAY, Random(seed)),
        dates_near_today("< today(5)", TODAY, Random(seed)),
    )

    assert all(timedelta(0) < there - TODAY <= timedelta(365) for there in later)
    assert all(timedelta(0) < TODAY - there <= timedelta(365) for there in earlier)


def test_drawn_dates_stay_in_their_range():
    drawn = random_dates(TODAY, TODAY + timedelta(3), 50, Random(1))

    assert set(drawn) == {TODAY + timedelta(days) for days in range(4)}


def test_impossible_dates_are_in_no_calendar():
    for written in impossible_dates(20, Random(1)):
        with pytest.raises(ValueError, match="there is no such day"):
            parse_date(written)


def test_any_days_are_days_of_four_digit_years():
    assert {len(str(there.year)) for there in any_dates(200, Random(1))} == {4}


def test_a_rule_or_number_that_means_nothing_is_refused():
    for rule in ("today(3)", ">today(0)", ">yesterday(3)"):
        with pytest.raises(ValueError, match="should be"):
            dates_near_today(rule, TODAY, Random(1))
    with pytest.raises(ValueError, match=r"min is later than max: 15/03/2025 and 14/03/2025"):
        random_dates(TODAY + timedelta(1), TODAY, 1, Random(1))
