"""A short form of `make check-statistics`: seeded, so it always gives the same figures."""

import pytest

from sparring.statistics import Claim, detectable
from statistics_coverage import (
    Cell,
    alarmed,
    covered,
    decided,
    significant_share,
    significant_share_of_rules,
    significant_share_of_tags,
)

CLAIMS: tuple[Claim, ...] = ("these", "like these")


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    "cell",
    [Cell(10, 50, 0.3, 0.9), Cell(4, 20, 1, 0.5), Cell(20, 1, 0, 0.95), Cell(20, 5, 0.8, 0.8), Cell(3, 3, 0.3, 0.99)],
    ids=str,
)
@pytest.mark.slow
def test_intervals_hold_the_truth_and_gates_hold_the_bar(cell: Cell, claim: Claim):
    held, through = covered(cell, claim, 150, seed=5)
    assert held >= 0.92
    assert through <= 0.08


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_bot_compared_with_itself_is_seldom_worse(claim: Claim):
    assert significant_share(Cell(20, 5, 0.3, 0.8), 0, claim, 150, seed=5) <= 0.06


def test_a_real_fall_is_significant():
    assert significant_share(Cell(40, 5, 0.3, 0.8), 0.15, "these", 60, seed=5) >= 0.8
    assert significant_share(Cell(5, 40, 0, 0.95), 0.57, "these", 40, seed=5) == 1


@pytest.mark.slow
@pytest.mark.parametrize("cell", [Cell(40, 5, 0.8, 0.85), Cell(20, 5, 1, 0.8), Cell(10, 10, 0.3, 0.8)], ids=str)
def test_a_detectable_fall_is_significant(cell: Cell):
    fall = detectable(cell.cases, cell.repeats, rate=cell.truth, icc=cell.icc)
    assert significant_share(cell, fall, "these", 150, seed=5, in_proportion=True) >= 0.69


def test_sequential_decisions_are_right_and_cheap():
    above, below, took = decided(0.95, 0.8, 100, seed=5)
    assert (above, below) == (1, 0)
    assert took <= 160
    above, below, _ = decided(0.8, 0.8, 100, seed=5, cases=200)
    assert max(above, below) <= 0.08


@pytest.mark.parametrize(("cases", "repeats", "odd"), [(20, 1, 0.02), (50, 1, 0.01), (10, 5, 0.3)])
def test_a_rule_over_pairs_seldom_alarms_by_chance(cases: int, repeats: int, odd: float):
    assert significant_share_of_rules(cases, repeats, odd, 200, seed=5) <= 0.05


def test_an_innocent_tag_is_seldom_named():
    assert significant_share_of_tags(20, 100, 100, seed=5) <= 0.06


@pytest.mark.slow
def test_a_slow_decline_is_an_alarm_and_chance_seldom_is():
    assert alarmed(50, 2, 0.01, 10, seed=5) == 1
    assert alarmed(50, 2, 0, 20, seed=5) <= 0.15
