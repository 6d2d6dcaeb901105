"""Linearly weighted kappa against its definition."""

import pytest

from sparring.statistics import weighted_kappa


def test_weighted_kappa_is_one_less_the_share_of_disagreement_by_chance():
    pairs = [(1, 1), (1, 2), (2, 2), (3, 3), (3, 1), (2, 3)]
    apart = sum(abs(one - other) for one, other in pairs) / len(pairs)
    chance = sum(abs(one - other) for one, _ in pairs for _, other in pairs) / len(pairs) ** 2

    found = weighted_kappa([[pair] for pair in pairs])

    assert found is not None
    assert found.value == pytest.approx(1 - apart / chance)
    assert found.low < found.value < found.high


def test_repeats_of_a_case_do_not_narrow_the_interval():
    rows = [[(1, 1)], [(2, 2)], [(3, 2)], [(3, 3)], [(1, 2)], [(2, 2)]]

    once, often = weighted_kappa(rows), weighted_kappa([row * 20 for row in rows])

    assert once is not None
    assert often is not None
    assert (often.value, often.low, often.high) == pytest.approx((once.value, once.low, once.high))


def test_scorers_that_never_vary_have_no_kappa_and_few_that_agree_are_not_certain():
    assert weighted_kappa([]) is None
    assert weighted_kappa([[(3, 3)]] * 10) is None
    few = weighted_kappa([[(1, 1)], [(2, 2)], [(3, 3)], [(1, 1)]])
    assert few is not None
    assert few.value == 1
    assert few.low < 0
