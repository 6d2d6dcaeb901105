"""The public functions against scipy, against enumeration, and against published figures."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, isclose
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.statistics import (
    Claim,
    Rows,
    Sequential,
    Tuples,
    always_valid,
    detectable,
    difference,
    fisher,
    flakiness,
    holm,
    icc,
    mean,
    mean_score_difference,
    needed,
    pass_hat_k,
    rate,
    tuple_difference,
    tuple_rate,
)
from sparring.statistics.beta import beta_cdf, binomial_bounds, t_quantile, t_test
from sparring.statistics.sizes import reversal
from statistics_coverage import Cell
from tables import table

CLAIMS: tuple[Claim, ...] = ("these", "like these")
ROWS = st.lists(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=4), min_size=1, max_size=6)


def numbers(cases: int, repeats: int, passed: int) -> list[list[int]]:
    """Return rows of which the first `passed` cases always pass and the others never do."""
    return [[int(case < passed)] * repeats for case in range(cases)]


def clopper_pearson(hits: int, trials: int) -> tuple[float, float]:
    """Return the exact 95% interval of a proportion."""
    special = pytest.importorskip("scipy.special")
    low = special.betaincinv(hits, trials - hits + 1, 0.025) if hits else 0
    return low, special.betaincinv(hits + 1, trials - hits, 0.975) if hits < trials else 1


@given(st.floats(0.001, 0.999), st.floats(0.5, 3000), st.floats(0.5, 3000))
def test_the_beta_distribution_is_that_of_scipy(x: float, a: float, b: float):
    special = pytest.importorskip("scipy.special")  # which begins in a third of the time of scipy.stats
    assert isclose(beta_cdf(x, a, b), special.betainc(a, b, x), abs_tol=1e-9)


@given(st.integers(0, 40), st.integers(1, 40))
def test_binomial_bounds_are_those_of_scipy(hits: int, more: int):
    trials = hits + more - 1 or 1
    hits = min(hits, trials)
    assert binomial_bounds(hits / trials, trials, 0.025) == pytest.approx(clopper_pearson(hits, trials), abs=1e-7)


def test_students_distribution_is_that_of_scipy():
    special = pytest.importorskip("scipy.special")
    for degrees in (1, 2, 5, 30, 200):
        assert t_quantile(0.975, degrees) == pytest.approx(special.stdtrit(degrees, 0.975), rel=1e-6)
        assert t_test(1.7, degrees) == pytest.approx(2 * special.stdtr(degrees, -1.7), rel=1e-9)


def test_single_repeats_have_the_exact_binomial_interval():
    rows = [[1]] * 17 + [[0]] * 3
    for claim in CLAIMS:
        found = rate(rows, claim=claim)
        assert (found.low, found.high) == pytest.approx(clopper_pearson(17, 20), abs=1e-7)


def test_repeats_of_deterministic_cases_are_worth_no_more_than_the_cases():
    found = rate(numbers(4, 50, 2))
    assert found.effective == 4
    assert (round(found.low, 3), round(found.high, 3)) == (0.068, 0.932)
    assert rate(numbers(4, 50, 2), claim="these").low == pytest.approx(0.429, abs=0.001)


def test_cases_weigh_the_same_with_any_number_of_repeats():
    assert rate([[1] * 99, [0]]).value == 0.5


def test_a_gate_of_90_percent_takes_29_cases_that_all_pass():
    assert rate([[1]] * 28, sided=1).low < 0.9 <= rate([[1]] * 29, sided=1).low


@settings(max_examples=60)
@given(ROWS, st.sampled_from(CLAIMS), st.randoms())
def test_order_does_not_matter_and_unknown_values_never_narrow(rows, claim, random):
    found = rate(rows, claim=claim)
    assert 0 <= found.low <= found.value <= found.high <= 1
    shuffled = [random.sample(row, len(row)) for row in random.sample(rows, len(rows))]
    again = rate(shuffled, claim=claim)
    assert (again.low, again.high) == pytest.approx((found.low, found.high))
    wider = rate([[None, *rows[0][1:]], *rows[1:]], claim=claim)
    assert wider.low <= found.low + 1e-9
    assert wider.high >= found.high - 1e-9
    assert wider.unknown == 1


@settings(max_examples=60)
@given(ROWS, ROWS, st.sampled_from(CLAIMS))
def test_swapping_before_and_after_mirrors_a_difference(before, after, claim):
    before, after = before[: len(after)], after[: len(before)]
    there, back = difference(before, after, claim=claim), difference(after, before, claim=claim)
    assert there.p == pytest.approx(back.p)
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low), abs=1e-6)


@settings(max_examples=60)
@given(st.data())
def test_exchanging_sides_is_exact(data):
    cases = data.draw(st.integers(1, 3))
    sides = st.lists(st.integers(1, 3), min_size=1, max_size=3)
    pairs = [(data.draw(sides), data.draw(sides)) for _ in range(cases)]
    before, after = [list(side) for side in zip(*pairs, strict=True)]
    ways = [list(combinations(range(len(b) + len(a)), len(a))) for b, a in pairs]
    sums = [
        sum(([*b, *a])[i] for (b, a), chosen in zip(pairs, choice, strict=True) for i in chosen)
        for choice in product(*ways)
    ]
    seen = sum(map(sum, after))
    tail = min(sum(each <= seen for each in sums), sum(each >= seen for each in sums)) / len(sums)
    found = mean_score_difference(before, after, low=1, high=3)
    other_way = found.value * (seen - sum(sums) / len(sums)) < -1e-9  # with very unequal repeats
    assert found.p == pytest.approx(1 if other_way else min(1, 2 * tail))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=8))
def test_flipping_signs_is_exact(pairs):
    changes = [a - b for b, a in pairs]
    sums = [
        sum(sign * each for sign, each in zip(signs, changes, strict=True))
        for signs in product((1, -1), repeat=len(pairs))
    ]
    exact = sum(abs(each) >= abs(sum(changes)) for each in sums) / len(sums)
    found = difference([[b] for b, _ in pairs], [[a] for _, a in pairs], claim="like these")
    assert found.p == pytest.approx(exact)


def test_one_repeat_is_mcnemars_exact_test():
    special = pytest.importorskip("scipy.special")
    before, after = [[1]] * 9 + [[0]] * 1 + [[1]] * 30, [[0]] * 9 + [[1]] * 1 + [[1]] * 30
    found = difference(before, after)
    assert found.p == pytest.approx(2 * special.bdtr(1, 10, 0.5))
    assert found.direction == "worse"


def test_five_cases_are_evidence_about_themselves_but_not_about_others():
    before, after = [[1] * 38 + [0] * 2] * 5, [[1] * 15 + [0] * 25] * 5
    assert difference(before, after).direction == "worse"
    like = difference(before, after, claim="like these")
    assert (like.p, like.direction) == (pytest.approx(0.0625), "not told")


def test_a_fall_of_scores_without_a_failure_is_significant():
    found = mean_score_difference([[3]] * 40, [[2]] * 40, low=1, high=3)
    assert (found.value, found.direction) == (-1, "worse")
    mixed = mean([[1], [2], [3]], low=1, high=3)
    assert mixed.value == 2
    assert 1 <= mixed.low < 2 < mixed.high <= 3


def test_many_cases_have_the_p_value_of_mcnemars_exact_test():
    fell, rose, same = 10_300, 10_000, 80_000
    before = [[1]] * fell + [[0]] * rose + [[1]] * same
    after = [[0]] * fell + [[1]] * rose + [[1]] * same

    found = difference(before, after)

    below, ways = 1, 1  # whole numbers: no rounding
    for k in range(1, rose + 1):
        ways = ways * (fell + rose - k + 1) // k
        below += ways
    assert found.p == pytest.approx(float(Fraction(2 * below, 2 ** (fell + rose))), rel=1e-9)


def test_scores_of_many_cases_have_the_p_value_of_a_normal_distribution():
    pattern = [([1, 2, 3], [3, 2, 3]), ([3, 3, 1], [1, 2, 2]), ([2, 2, 3], [3, 2, 1])]
    before, after = ([pair[side] for pair in pattern for _ in range(2_000)] for side in (0, 1))

    found = difference(before, after, low=1, high=3)

    def moments(b: list[int], a: list[int]) -> tuple[float, float]:
        scores, n, m = np.array([*b, *a], float), len(a), len(b)
        return sum(a) - n * scores.mean(), n * m / (n + m) * scores.var(ddof=1)

    shifts, variances = (2_000 * sum(each) for each in zip(*(moments(*pair) for pair in pattern), strict=True))
    z = (abs(shifts) - 0.5) / variances**0.5  # sums are whole numbers
    assert found.p == pytest.approx(2 * NormalDist().cdf(-z), rel=0.02)


def test_a_case_without_repeats_on_one_side_is_not_compared():
    found = difference([[1, None], [], [0]], [[None, 0], [1], [1]])

    assert (found.cases, found.unknown) == (2, 2)


def test_very_unequal_repeats_are_inconclusive():
    before, after = [[1], [1], [0] * 40], [[0], [0], [1] * 20 + [0] * 20]

    found = difference(before, after)

    assert (found.value, found.p, found.direction) == (-0.5, 1.0, "not told")


@pytest.mark.parametrize(("before", "after", "least"), [([[1]] * 6, [[0]] * 6, 2 / 64), ([[0, 0]], [[1, 0]], 1.0)])
def test_the_smallest_attainable_p_is_that_of_the_most_extreme_outcome(before: Rows, after: Rows, least: float):
    assert difference(before, after).attainable_p == least


def test_pass_hat_k_is_unbiased_over_draws():
    rows = [[1, 1, 0, 0], [1, 1, 1, 1]]
    assert pass_hat_k(rows, 1).value == rate(rows).value
    assert pass_hat_k(rows, 2).value == pytest.approx((comb(2, 2) / comb(4, 2) + 1) / 2)
    assert pass_hat_k(rows, 4, claim="these").value == 0.5
    with pytest.raises(ValueError, match=r"pass\^5 needs at least 5"):
        pass_hat_k(rows, 5)


def test_flakiness_is_the_chance_that_two_repeats_differ():
    assert flakiness([[1, 0, None], [1, 1, 1], [1], [1, 1, 0, 0]]) == [1, 0, None, pytest.approx(2 / 3)]


def test_icc_is_that_of_the_analysis_of_variance():
    rows = [[1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1], [0, 1, 0, 0]]
    between = 4 * np.var([np.mean(row) for row in rows], ddof=1)
    f = between / np.mean([np.var(row, ddof=1) for row in rows])
    assert icc(rows) == pytest.approx((f - 1) / (f - 1 + 4))
    assert icc(numbers(4, 3, 2)) == 1
    assert icc([[1], [0]]) is None
    assert icc([[1, 1], [1, 1]]) is None


def test_holm_adjusts_for_the_number_of_tests():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.01, 0.6], attainable=[0.001, 0.5]) == [0.01, 1]


def test_a_test_that_could_not_be_significant_keeps_an_adjusted_p_value():
    assert holm([0.0625, 1, 1], attainable=[0.0625, 1, 1]) == [0.0625, 1, 1]
    assert holm([0.0625, 0.25, 1], attainable=[0.0625, 0.25, 1]) == [0.125, 0.5, 1]
    assert holm([0.001, 0.0625], attainable=[0.0001, 0.0625]) == [0.001, 0.125]
    assert holm([1.0], attainable=[1.0]) == [1]


@pytest.mark.slow  # scipy.stats begins in a second
def test_fishers_test_and_paired_permutations_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    for first, of_first, second, of_second in product((0, 1, 3), (3, 7), (0, 2, 5), (5, 9)):
        table = [[first, of_first - first], [second, of_second - second]]
        assert fisher(first, of_first, second, of_second) == pytest.approx(stats.fisher_exact(table).pvalue)
    before, after = [1, 3, 2, 2, 1, 3, 3], [2, 3, 3, 3, 3, 3, 1]
    changes = (np.subtract(after, before),)
    exact = stats.permutation_test(changes, np.sum, permutation_type="samples", n_resamples=np.inf)
    found = mean_score_difference([[b] for b in before], [[a] for a in after], low=1, high=3, claim="like these")
    assert found.p == pytest.approx(exact.pvalue)


def test_tuples_that_share_cases_are_not_independent():
    cases = 20
    odd = Tuples(38, 380, [(38, 38)] + [(2, 38)] * (cases - 1))
    found = tuple_rate(odd)
    assert found.value == 0.1
    assert found.high > 0.3
    assert found.effective < 20
    none = Tuples(0, 380, [(0, 38)] * cases)
    assert tuple_rate(none).effective == cases / 2
    change, p = tuple_difference(none, odd)
    assert change == pytest.approx(0.1)
    assert p > 0.05
    assert tuple_rate(Tuples(0, 0, [])).value is None


def test_a_change_in_all_cases_is_significant_for_tuples():
    before = Tuples(4, 380, [(4, 38)] * 2 + [(0, 38)] * 18)
    after = Tuples(300, 380, [(30, 38)] * 20)
    assert tuple_difference(before, after)[1] < 0.001


def test_a_small_sample_of_tuples_has_less_power():
    whole = Tuples(40, 380, [(4, 38)] * 20)
    sampled = whole._replace(drawn=50)
    more = Tuples(80, 380, [(8, 38)] * 20)

    assert tuple_rate(sampled).effective < tuple_rate(whole).effective
    assert tuple_difference(sampled, more._replace(drawn=50))[1] > 2 * tuple_difference(whole, more)[1]


def test_detectable_and_needed_agree_with_the_table():
    assert detectable(5, 40) == pytest.approx(0.108, abs=0.001)
    assert detectable(20, 1) == pytest.approx(0.393, abs=0.003)
    assert detectable(20, 5, rate=0) == 1 / 100
    assert detectable(40, 5, varies=0.3, claim="like these") > detectable(40, 5)
    rows = [[1, 1, 1, 1, 0]] * 33 + [[1, 1, 0, 0, 0]] * 7
    more = needed(rows, 0.65)
    assert more is not None
    assert more > 0
    assert needed(rows, 0.3) == 0
    assert needed(rows, rate(rows).value) is None
    assert needed([], 0.5) is None


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_sample_size_for_pass_hat_k_detects_it(claim: Claim):
    rows = [[1, 1, 1, 1, 1]] * 30 + [[1, 1, 1, 1, 0]] * 10
    more = needed(rows, 0.7, k=5, claim=claim)
    assert more is not None
    times = 2 + more // 200
    longer = rows * times if claim == "like these" else [[1] * 5 * times] * 30 + [([1] * 5 + [0]) * times] * 10
    assert pass_hat_k(rows, 5, claim=claim, sided=1).low < 0.7
    assert pass_hat_k(rows, 5).value == 0.75
    if claim == "like these":
        assert pass_hat_k(longer, 5, claim=claim, sided=1).low >= 0.7
    assert needed(rows, 0.2, k=5, claim=claim) == 0


def test_bets_decide_and_their_interval_holds_the_rate():
    bets = Sequential(0.5)
    decisions = [bets.add([1]) for _ in range(20)]
    assert decisions[0] is None
    assert decisions[-1] == "above"
    assert Sequential(0.5).add([None] * 50) is None
    low, high = always_valid([[1]] * 18 + [[0]] * 2)
    assert low < 0.9 < high


@table(
    ("call", "message"),
    [
        (lambda: rate([[2]]), "outside of the scale"),
        (lambda: rate([[1]], confidence=1), "confidence"),
        (lambda: difference([[1]], [[1], [0]]), "cannot be paired"),
        (lambda: mean_score_difference([[1.5]], [[2]], low=1, high=3), "whole numbers"),
        (lambda: mean([[1]], low=3, high=1), "must rise"),
        (lambda: Sequential(0.5).add([2]), "outside of the scale"),
        (lambda: tuple_difference(Tuples(0, 0, []), Tuples(0, 0, [])), "no tuple"),
    ],
)
def test_bad_values_are_refused(call, message: str):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("rows", [[], [[]], [[None]]])
def test_nothing_known_is_the_whole_scale(rows: Rows):
    found = rate(rows)
    assert (found.value, found.low, found.high, found.effective) == (None, 0, 1, 0)
    paired = difference(rows, rows)
    assert (paired.value, paired.low, paired.high, paired.direction) == (None, -1, 1, "not told")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cases", "repeats", "threshold", "icc"),
    [
        *((20, 1, 0.8, 0.3), (50, 1, 0.9, 0.3), (40, 5, 0.8, 0.3), (10, 10, 0.9, 0.3)),
        *((40, 5, 0.8, 0), (4, 50, 0.5, 0), (10, 10, 0.9, 0.9), (4, 50, 0.5, 1), (20, 3, 0.9, 1)),
    ],
)
def test_the_chance_of_a_reversal_is_that_of_a_repeat(cases: int, repeats: int, threshold: float, icc: float):
    """For bots whose truth lies within 10 points of the threshold, or anywhere from 0.5 to 1."""
    random = np.random.default_rng(7)
    told, came = [], []
    for run in range(200):
        low, high = (threshold - 0.1, min(threshold + 0.1, 1.0)) if run % 2 else (0.5, 1.0)
        cell = Cell(cases, repeats, icc, random.uniform(low, high))
        chances = cell.chances(random)
        one, other = cell.batch(random, chances), cell.batch(random, chances)
        shares = [sum(map(sum, batch)) / cases / repeats for batch in (one, other)]
        told.append(reversal(one, threshold))
        came.append((shares[0] >= threshold) != (shares[1] >= threshold))

    assert np.mean(told) == pytest.approx(np.mean(came), abs=0.06)
    assert np.mean(told) > np.mean(came) - 0.03  # it does not promise too much


def test_a_reversal_is_likely_though_everything_passed():
    assert reversal([[1]] * 20, 1.0) == pytest.approx(0.29, abs=0.01)
    assert reversal([[0]] * 20, 0.0, at_most=True) == pytest.approx(0.29, abs=0.01)
    assert reversal([[1]] * 50, 0.5) < 1e-6


def test_cases_that_agree_with_themselves_are_likely_to_do_so_again():
    assert reversal(numbers(4, 50, 2), 0.5) < 0.005
    assert reversal(numbers(10, 3, 8), 0.8) == pytest.approx(0.1, abs=0.02)
    assert reversal(numbers(10, 3, 2), 0.2, at_most=True) == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(("passed", "threshold", "whole"), [(0, 0.05, 59), (20, 0.9, 29), (0, 0.2, 20)])
def test_what_is_needed_if_none_or_all_pass_is_what_the_exact_bound_takes(passed: int, threshold: float, whole: int):
    assert needed(numbers(20, 1, passed), threshold) == whole - 20
