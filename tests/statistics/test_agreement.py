"""Linearly weighted kappa against its definition."""

from random import Random

import pytest

from sparring.statistics import krippendorff_alpha, weighted_kappa


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


def test_alpha_is_that_of_krippendorffs_example():
    """Krippendorff (2011), nominal data with missing values: its ordinal alpha is 0.815."""
    units = [(1, 1, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4), (4, 4, 4, 4)]
    units += [(1, 1, 2, 1), (2, 2, 2, 2), (5, 5, 5), (1, 1), (3,)]

    assert krippendorff_alpha(units) == pytest.approx(0.815, abs=5e-4)


def test_alpha_of_scores_that_never_differ_or_stand_alone_is_unknown():
    assert (krippendorff_alpha([(2, 2), (2, 2)]), krippendorff_alpha([(1,), (3,)]), krippendorff_alpha([])) == (
        None,
    ) * 3


def test_alpha_is_one_for_a_judge_that_repeats_itself_and_about_zero_for_one_that_draws():
    draw = Random(1)
    drawn = [[draw.randint(1, 3) for _ in range(3)] for _ in range(2000)]

    assert krippendorff_alpha([(score, score) for score in (1, 2, 3, 3)]) == 1
    assert krippendorff_alpha(drawn) == pytest.approx(0, abs=0.06)
