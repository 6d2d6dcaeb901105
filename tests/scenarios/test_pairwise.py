from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scenarios.pairwise import covering
from tables import table

sizes = st.lists(st.integers(1, 4), min_size=1, max_size=5)


@st.composite
def constrained(draw: st.DrawFn) -> tuple[list[int], int, list[dict[int, int]]]:
    """Sizes, a strength, and rules about what never occurs together."""
    drawn = draw(sizes)
    places = st.sampled_from(range(len(drawn)))
    rule = st.lists(places, min_size=1, max_size=3, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({place: st.integers(0, drawn[place] - 1) for place in chosen})
    )
    return drawn, draw(st.integers(1, 4)), draw(st.lists(rule, max_size=4))


@pytest.mark.slow
@given(constrained())
def test_everything_that_may_occur_together_does_and_nothing_else(
    array: tuple[list[int], int, list[dict[int, int]]],
):
    sizes, strength, never = array
    valid = [
        row
        for row in product(*map(range, sizes))
        if not any(all(row[place] == value for place, value in rule.items()) for rule in never)
    ]

    rows = covering(sizes, strength, never)

    for places in combinations(range(len(sizes)), min(strength, len(sizes))):
        possible = {tuple(row[place] for place in places) for row in valid}
        assert {tuple(row[place] for place in places) for row in rows} == possible


@table(
    ("sizes", "strength", "rows"),
    [([3] * 4, 2, 9), ([2] * 10, 2, 10), ([4] * 10, 2, 33), ([3] * 6, 3, 52), ([3, 4, 2], 3, 24), ([5], 2, 5)],
)
def test_the_rows_stay_few(sizes: list[int], strength: int, rows: int):
    assert len(covering(sizes, strength)) <= rows


def test_too_much_to_cover_is_refused():
    with pytest.raises(ValueError, match="more than 200,000 choices to cover"):
        covering([100] * 10, 3)


@pytest.mark.slow
def test_rules_that_are_too_hard_to_satisfy_are_refused():
    eight_of_seven = [{a: value, b: value} for a, b in combinations(range(8), 2) for value in range(7)]

    with pytest.raises(ValueError, match="too hard to avoid"):
        covering([7] * 8, 2, eight_of_seven)


def test_ten_rows_hold_as_many_pairs_as_ten_rows_can():
    known = list(combinations(enumerate((0, 0, 0, 0)), 2))

    rows = covering([3, 3, 4, 3], 2, have=known, most=10)

    found = {*known, *(pair for row in rows for pair in combinations(enumerate(row), 2))}
    assert (len(rows), len(found)) == (10, 60)  # 3 of 63 are missing: a variable with 4 values needs 12 rows


@table("sizes", [[4, 4, 4], [3, 5, 4], [6, 5, 4]])
def test_ten_rows_hold_every_value_where_they_cannot_hold_every_pair(sizes: list[int]):
    known = list(combinations(enumerate([0] * len(sizes)), 2))

    rows = covering(sizes, 2, have=known, most=10)

    pairs = {*known, *(pair for row in rows for pair in combinations(enumerate(row), 2))}
    assert {pair for row in rows for pair in enumerate(row)} >= {
        (at, n) for at, of in enumerate(sizes) for n in range(1, of)
    }
    assert len(pairs) == 33  # no row repeats a pair
