import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.reports.measures import Spread, Values


def spread(values: list[float]) -> Spread:
    counted = Values()
    counted.add(values)
    return counted.spread()


def test_nothing_measured_is_no_number():
    assert spread([]) == Spread(n=0, mean=None, std=None, median=None, min=None, max=None)


def test_one_value_has_no_deviation():
    assert spread([2.5]) == Spread(n=1, mean=2.5, std=None, median=2.5, min=2.5, max=2.5)


def test_an_even_number_of_values_has_its_median_between_two():
    assert spread([1, 2, 4, 9]).median == 3


@given(st.lists(st.integers(0, 999), min_size=2))
def test_the_spread_agrees_with_the_standard_library(values: list[int]):
    found = spread(list(map(float, values)))

    assert [found.n, found.median, found.min, found.max] == [
        len(values),
        statistics.median(values),
        min(values),
        max(values),
    ]
    assert [found.mean, found.std] == pytest.approx([statistics.mean(values), statistics.stdev(values)])


@given(st.lists(st.floats(0.0001, 100), min_size=1, max_size=20))
def test_the_spread_is_right_to_three_digits(values: list[float]):
    assert spread(values).mean == pytest.approx(statistics.fmean(values), rel=0.005)
