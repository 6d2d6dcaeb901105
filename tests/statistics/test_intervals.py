from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.statistics.intervals import interval, sign_test, wilson


def test_intervals_are_wilsons():
    assert [round(end, 4) for end in interval(5, 10)] == [0.2366, 0.7634]
    assert interval(0, 10)[0] == pytest.approx(0)
    assert wilson(0.5, 10, 0.975) == interval(5, 10)


@given(st.integers(0, 7), st.integers(0, 7))
def test_the_sign_test_counts_the_splits_that_are_as_lopsided(up, down):
    number = up + down
    splits = [sum(signs) for signs in product((0, 1), repeat=number)]
    as_lopsided = sum(abs(ups - number / 2) >= abs(up - number / 2) for ups in splits)

    assert sign_test(up, down) == pytest.approx(as_lopsided / 2**number)


def test_five_that_all_point_one_way_are_too_few_and_six_are_enough():
    assert sign_test(5, 0) > 0.05 >= sign_test(0, 6)
