"""The smallest failing part: it fails, is minimal, and is found in few runs."""

from collections.abc import Collection
from itertools import combinations
from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.mutation.shrinking import Shrunk, shrink, shrink_random


async def shrunk(size: int, planted: Collection[Collection[int]], runs: int = 10_000) -> Shrunk:
    """Shrink where a part fails that contains any of the planted sets."""

    async def fails(part: frozenset[int]) -> bool:
        return any(part.issuperset(each) for each in planted)

    return await shrink(size, lambda part: part, fails, runs=runs)


@pytest.mark.parametrize("size", [24, 40])
@pytest.mark.parametrize("needed", [1, 2, 3, 4])
async def test_a_conjunction_is_found_exactly_in_few_runs(size: int, needed: int):
    random = Random(f"{size}/{needed}")
    planted = [random.sample(range(size), needed) for _ in range(200)]
    found = [await shrunk(size, [each]) for each in planted]

    assert [each.kept for each in found] == [tuple(sorted(each)) for each in planted]
    assert all(each.minimal for each in found)
    assert median(each.runs for each in found) <= 30
    assert max(each.runs for each in found) <= 60


@pytest.mark.slow
async def test_conjunctions_that_fail_in_60_percent_of_runs_are_found_in_55():
    random = Random("some")
    exact, runs = 0, []
    for number in range(24):
        planted = set(random.sample(range(24), 1 + number % 4))

        async def fails(part: frozenset[int], planted: set[int] = planted) -> bool:
            return random.random() < 0.6 * (part >= planted)

        found = await shrink_random(24, lambda part: part, fails, failed=3, passed=2, runs=55)
        assert planted <= set(found.kept)
        exact += set(found.kept) == planted
        runs.append(found.runs)

    assert exact >= 21
    assert median(runs) <= 50


async def test_known_runs_of_parts_save_others():
    async def fails(part: frozenset[int]) -> bool:
        return {2, 5} <= part

    known = [(part, {2, 5} <= part) for part in map(frozenset, combinations(range(8), 2)) for _ in range(3)]
    found = await shrink_random(8, lambda part: part, fails, failed=5, passed=0, runs=100, known=known)

    assert found == Shrunk((2, 5), 0, minimal=True)


async def test_likely_elements_save_runs_and_may_still_be_left_out():
    async def fails(part: frozenset[int]) -> bool:
        return {0, 1, 2, 7} <= part

    async def found(likely: frozenset[int]) -> Shrunk:
        return await shrink_random(12, lambda part: part, fails, failed=4, passed=1, runs=200, likely=likely)

    some, none = await found(frozenset({0, 1, 2, 5})), await found(frozenset())

    assert some.kept == none.kept == (0, 1, 2, 7)
    assert some.runs < none.runs


async def test_parts_that_cannot_be_built_are_not_run_and_the_best_failing_one_is_kept():
    ran: list[frozenset[int]] = []

    async def fails(part: frozenset[int]) -> bool:
        ran.append(part)
        return {2, 5} <= part

    found = await shrink_random(8, lambda part: part if 0 in part else None, fails, failed=5, passed=1, runs=100)
    few = await shrink_random(40, lambda part: part, fails, failed=5, passed=1, runs=4)

    assert (found.kept, found.minimal) == ((0, 2, 5), True)
    assert (few.runs, few.minimal) == (4, False)
    assert {2, 5} <= set(few.kept)
    assert set(ran[: found.runs]) <= {part for part in ran if 0 in part}


PARTS = st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=4)


@given(PARTS)
async def test_of_several_reasons_one_is_left(planted: list[set[int]]):
    found = await shrunk(8, planted)

    assert found.minimal
    assert set(found.kept) in [set(each) for each in planted]


@given(st.sets(st.frozensets(st.integers(0, 4))))
async def test_without_monotony_no_single_element_can_be_left_out(failing: set[frozenset[int]]):
    failing |= {frozenset(range(5))}

    async def fails(part: frozenset[int]) -> bool:
        return part in failing

    found = await shrink(5, lambda part: part, fails, runs=1000)
    kept = frozenset(found.kept)

    assert found.minimal
    assert kept in failing
    assert not any(kept - {each} in failing for each in kept)


async def test_the_best_part_so_far_is_returned_when_the_runs_are_used_up():
    found = await shrunk(40, [{3, 17, 30}], runs=8)

    assert not found.minimal
    assert found.runs == 8
    assert {3, 17, 30} <= set(found.kept)
    assert len(found.kept) < 40


async def test_equal_candidates_run_once_and_impossible_ones_never():
    ran: list[int] = []

    async def fails(candidate: int) -> bool:
        ran.append(candidate)
        return candidate == 2

    def build(part: frozenset[int]) -> int | None:
        return min(len(part), 2) or None

    found = await shrink(6, build, fails, runs=100)

    assert sorted(ran) == [1, 2]
    assert len(found.kept) == 2
    assert set(found.kept) in map(set, combinations(range(6), 2))
