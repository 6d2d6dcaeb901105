import datetime
import math
from typing import Any

import numpy as np
import pytest

from sparring.rules.count.conditions import Ranks
from sparring.rules.evaluate.columns import Column
from sparring.rules.undecided import Failure
from tables import table

DAY = datetime.date(2024, 11, 6)
NOON = datetime.datetime(2024, 11, 6, 12)  # noqa: DTZ001 - naive ones are compared too


def column(*values: Any) -> Column:
    return Column("c", np.arange(len(values)), list(values))


@table(
    "values",
    [
        [3, 1.5, True, 0, -0.0, 1, 2**53, 2**53 + 1, float(2**53), 10**400, math.inf, -math.inf],
        [0.1 + 0.2, 0.3, 1, 7],
        ["b", "a", "", "B", "é"],
        [DAY, datetime.date(2024, 1, 1)],
        [NOON, datetime.datetime(2023, 1, 1)],  # noqa: DTZ001
        [NOON.replace(tzinfo=datetime.UTC), datetime.datetime(2023, 1, 1, tzinfo=datetime.UTC)],
        [b"b", b"a"],
    ],
)
def test_ranks_are_ordered_and_equal_as_the_values_are(values: list[Any]):
    ranks = Ranks(column(*values), column(*reversed(values)))

    left, right = ranks.left.tolist(), ranks.right.tolist()[::-1]
    assert left == right
    assert [(a < b, a == b) for a in left for b in left] == [(a < b, a == b) for a in values for b in values]


def test_nan_has_no_rank_and_is_no_clash():
    ranks = Ranks(column(math.nan, 1.0), column(2))

    assert (ranks.left.tolist(), ranks.clash(np.array([True, True]), np.array([True]))) == ([-1, 0], False)


@pytest.mark.parametrize(("left", "right"), [(1, "1"), (None, None), (DAY, NOON), ({}, {})])
def test_what_python_cannot_order_is_a_clash(left: object, right: object):
    one = np.array([True])

    assert Ranks(column(left), column(right)).clash(one, one)


def test_a_failure_is_no_clash_and_lists_are_left_to_python():
    failure = Failure(ValueError("no"))

    ranks = Ranks(column(failure, 1), column(2))

    assert not ranks.clash(np.array([False, True]), np.array([True]))
    assert not Ranks(column([1]), column([2])).possible
