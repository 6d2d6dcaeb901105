import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scenarios.date_values import equidistant_numbers, number_range
from tables import table


@table(
    ("first", "last", "step", "values"),
    [
        (1, 6, 1, [1, 2, 3, 4, 5, 6]),
        (1, 6, 2, [1, 3, 5, 6]),
        (3, 3, 1, [3]),
        (0, 0.3, 0.1, [0.0, 0.1, 0.2, 0.3]),
        (1.5, 3, 1, [1.5, 2.5, 3.0]),
    ],
)
def test_the_largest_value_belongs_to_a_range(first: float, last: float, step: float, values: list[float]):
    assert number_range(first, last, step) == values


@given(st.integers(-50, 50), st.integers(0, 50), st.integers(1, 9))
def test_whole_ranges_rise_from_first_to_last_by_at_most_the_step(first: int, length: int, step: int):
    values = number_range(first, first + length, step)

    assert (values[0], values[-1]) == (first, first + length)
    assert all(0 < after - before <= step for before, after in itertools.pairwise(values))


def test_equal_distances():
    assert equidistant_numbers(0, 1, 5, whole=False) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert equidistant_numbers(0, 1, 3, whole=True) == [0, 1]
    assert equidistant_numbers(2, 9, 1, whole=True) == [2]


@pytest.mark.parametrize(
    ("first", "last", "step", "complaint"),
    [
        (2, 1, 1, "min is greater than max: 2 and 1"),
        (1, 2, 0, "step should be greater than 0"),
        (0, 10_000_000, 1, "a range may hold 10,000 values, not more"),
    ],
)
def test_a_range_that_cannot_be_is_refused(first: int, last: int, step: int, complaint: str):
    with pytest.raises(ValueError, match=r".") as caught:
        number_range(first, last, step)

    assert str(caught.value) == complaint


def test_too_many_points_are_refused():
    with pytest.raises(ValueError, match="linspace should be from 1 to 10,000"):
        equidistant_numbers(0, 1, 10_001, whole=False)
