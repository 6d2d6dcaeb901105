"""A short form of `make check-statistics`: seeded, so it always gives the same figures."""

import pytest

from sparring.statistics import Claim
from statistics_coverage import Cell, covered, decided, told

CLAIMS: tuple[Claim, ...] = ("these", "like these")


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    "cell",
    [Cell(10, 50, 0.3, 0.9), Cell(4, 20, 1, 0.5), Cell(20, 1, 0, 0.95), Cell(20, 5, 0.8, 0.8), Cell(3, 3, 0.3, 0.99)],
    ids=str,
)
def test_intervals_hold_the_truth_and_gates_hold_the_bar(cell: Cell, claim: Claim):
    held, through = covered(cell, claim, 150, seed=5)
    assert held >= 0.92
    assert through <= 0.08


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_bot_compared_with_itself_is_seldom_worse(claim: Claim):
    assert told(Cell(20, 5, 0.3, 0.8), 0, claim, 150, seed=5) <= 0.06


def test_a_real_fall_is_told():
    assert told(Cell(40, 5, 0.3, 0.8), 0.15, "these", 60, seed=5) >= 0.8
    assert told(Cell(5, 40, 0, 0.95), 0.57, "these", 40, seed=5) == 1


def test_sequential_decisions_are_right_and_cheap():
    above, below, took = decided(0.95, 0.8, 100, seed=5)
    assert (above, below) == (1, 0)
    assert took <= 160
    above, below, _ = decided(0.8, 0.8, 100, seed=5, cases=200)
    assert max(above, below) <= 0.08
