"""The public functions against statsmodels, for what scipy does not have. The locked requirements contain it."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.statistics import detectable, difference, holm, icc, needed, rate
from sparring.statistics.agreement import weighted_kappa
from statistics_coverage import Cell

pytestmark = pytest.mark.slow  # to import

OUTCOMES = st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, 1])), min_size=1, max_size=40)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusted_p_values_are_those_of_holm(p: list[float]):
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda: 0)  # it looks for garbage each time, among all that pytest holds
        expected = list(multipletests(p, method="holm")[1])

    assert holm(p) == pytest.approx(expected)


@settings(max_examples=50)
@given(OUTCOMES)
def test_one_repeat_is_mcnemars_exact_test(pairs: list[tuple[int, int]]):
    mcnemar = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    table = np.zeros((2, 2))
    for before, after in pairs:
        table[before, after] += 1

    found = difference([[before] for before, _ in pairs], [[after] for _, after in pairs])

    assert found.p == pytest.approx(min(mcnemar(table, exact=True).pvalue, 1.0))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=40))
def test_weighted_kappa_is_cohens(pairs: list[tuple[int, int]]):
    cohens_kappa = pytest.importorskip("statsmodels.stats.inter_rater").cohens_kappa
    levels = sorted({score for pair in pairs for score in pair})
    found = weighted_kappa([[pair] for pair in pairs])
    if found is None:
        assert len(levels) == 1
        return
    table = np.zeros((4, 4))
    for one, other in pairs:
        table[one - 1, other - 1] += 1

    assert found.value == pytest.approx(cohens_kappa(table, wt="linear", return_results=False))


@pytest.mark.parametrize("seed", range(5))
def test_the_intraclass_correlation_is_that_of_analysis_of_variance(seed: int):
    anova_oneway = pytest.importorskip("statsmodels.stats.oneway").anova_oneway
    random = np.random.default_rng(seed)
    cell = Cell(30, 6, 0.4, 0.7)
    rows = cell.batch(random, cell.chances(random))

    found = anova_oneway([np.array(row, float) for row in rows], use_var="equal")

    assert icc(rows) == pytest.approx((found.statistic - 1) / (found.statistic + 5))


@pytest.mark.parametrize(("repeats", "alike"), [(1, 0), (5, 0.3), (20, 0.8)])
def test_with_many_cases_the_interval_is_that_of_errors_clustered_by_case(repeats: int, alike: float):
    OLS = pytest.importorskip("statsmodels.regression.linear_model").OLS
    random = np.random.default_rng(11)
    cell = Cell(1000, repeats, alike, 0.7)
    rows = cell.batch(random, cell.chances(random))
    values, cases = np.array(rows, float).ravel(), np.repeat(np.arange(1000), repeats)
    low, high = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": cases}).conf_int()[0]

    found = rate(rows)

    assert (found.low, found.high) == pytest.approx((low, high), abs=0.05 * (high - low))
    assert found.high - found.low >= high - low


@pytest.mark.parametrize(("share", "threshold"), [(0.85, 0.8), (0.95, 0.9), (0.6, 0.7)])
def test_what_is_needed_is_the_sample_size_of_a_one_sided_test(share: float, threshold: float):
    normal_sample_size_one_tail = pytest.importorskip("statsmodels.stats.power").normal_sample_size_one_tail
    rows = [[1]] * round(100 * share) + [[0]] * (100 - round(100 * share))
    spreads = (sqrt(each * (1 - each)) for each in (threshold, share))

    more = needed(rows, threshold)

    assert more == pytest.approx(normal_sample_size_one_tail(share - threshold, 0.8, 0.05, *spreads) - 100, abs=2)


@pytest.mark.parametrize("cases", [50, 200, 1000])
def test_a_detectable_fall_is_found_with_its_power(cases: int):
    power_proportions_2indep = pytest.importorskip("statsmodels.stats.proportion").power_proportions_2indep
    fall = detectable(cases, 1, rate=0.8, icc=0)

    assert 0.8 <= power_proportions_2indep(fall, 0.8 - fall, cases).power < 0.85
