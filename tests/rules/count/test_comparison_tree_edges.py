"""Counting along an edge, against looking at every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparring.rules.count.comparison_tree import Edge, sum_along
from sparring.rules.count.predicates import Less

SMALL = st.integers(-1, 4)
WIDE = st.one_of(SMALL, st.integers(-(2**40), 2**40))


@st.composite
def sides(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    size = draw(st.integers(1, 8))
    return tuple(np.array(draw(st.lists(kind, min_size=size, max_size=size))) for kind in (SMALL, SMALL, WIDE, WIDE))


@given(sides(), st.integers(0, 2), st.booleans(), st.booleans())
def test_the_weights_are_those_of_the_pairs_that_satisfy_the_edge(
    codes: tuple[np.ndarray, ...], inequalities: int, keyed: bool, flipped: bool
):
    left, right, ranks, others = codes
    edge = Edge([(0, left, 1, right)] if keyed else [])
    edge.less = [Less(0, ranks, 1, others), Less(1, left, 0, ranks) if flipped else Less(0, others, 1, left)][
        :inequalities
    ]
    rows = np.arange(len(left))
    weights = rows + 1

    found = sum_along(edge, 0, rows, rows, weights)

    want = [sum(int(weights[child]) for child in rows if holds(edge, parent, child)) for parent in rows]
    assert found.tolist() == want


def holds(edge: Edge, parent: int, child: int) -> bool:
    at = (parent, child)
    equal = all(a[parent] == b[child] and a[parent] >= 0 for _, a, _, b in edge.equal)
    return equal and all(less.small_ranks[at[less.small]] < less.large_ranks[at[less.large]] for less in edge.less)
