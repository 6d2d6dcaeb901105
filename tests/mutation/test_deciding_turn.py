"""The turn that decides: found where it was planted, for chatbots that repeat themselves and for random ones."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from sparring.mutation.deciding_turn import DecidingTurn, Search
from tables import table

PLANTED = [(turns, turn) for turns in (1, 2, 3, 7, 12, 20) for turn in range(turns + 1)]


def searched(
    turns: int, fails: Callable[[int, int], bool | None], *, most: int = 40, last: bool = False, ways: int = 4
) -> Search:
    async def go_on(turn: int, way: int) -> bool | None:
        return fails(turn, way)

    return Search(turns, go_on, ways=ways, most=most, fails_at_last=last)


@pytest.mark.slow
@table(("turns", "planted", "seed"), [(*each, seed) for each, seed in product(PLANTED, range(10))])
async def test_the_turn_of_a_chatbot_that_repeats_itself_is_found(turns: int, planted: int, seed: int):
    random = Random(f"{turns}/{planted}/{seed}")
    passing = {(turn, random.randrange(4)) for turn in range(planted)}
    others = {(turn, way) for turn, way in product(range(planted), range(4)) if random.random() < 0.5}

    found = await searched(turns, lambda turn, way: (turn, way) not in passing | others, last=seed % 2 == 0).exact()

    assert found is not None
    assert (found.turn, found.among) == (planted, (planted,))
    assert found.probes <= 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "before", "after", "last", "least"),
    [
        (12, 0.0, 0.6, False, 0.95),
        (12, 0.1, 0.6, False, 0.93),
        (12, 0.2, 0.6, False, 0.77),
        (12, 0.1, 0.6, True, 0.88),
        (6, 0.1, 0.6, False, 0.92),
        (20, 0.0, 0.6, False, 0.95),
        (20, 0.0, 0.9, True, 0.98),
    ],
)
async def test_the_turn_of_a_random_chatbot_is_found_in_40_probes(
    turns: int, before: float, after: float, last: bool, least: float
):
    right = in_set = 0
    for seed in range(trials := 400):
        random = Random(f"{turns}/{before}/{after}/{last}/{seed}")
        planted = random.randint(1, turns)
        shown = random.randint(planted, turns) if last else turns + 1

        def fails(turn: int, way: int, planted: int = planted, shown: int = shown, random: Random = random) -> bool:
            return turn >= shown or random.random() < (after if turn >= planted else before)

        found = await searched(turns, fails, last=last).likely()
        assert found.probes <= 40
        right += found.turn == planted
        in_set += planted in found.among

    assert right >= least * trials
    assert in_set >= 0.9 * trials


async def test_a_conversation_that_fails_from_the_start_has_no_such_turn():
    exact = await searched(8, lambda turn, way: True).exact()
    likely = await searched(8, lambda turn, way: True).likely()

    assert exact == DecidingTurn(0, 1.0, (0,), exact.probes if exact else 0)
    assert likely.turn == 0
    assert await searched(8, lambda turn, way: True).exact(from_start=True) == DecidingTurn(0, 1.0, (0,), 8)
    later = await searched(8, lambda turn, way: turn > 4 or way > 0).exact(from_start=True)
    assert later is not None
    assert later.turn == 5


async def test_a_random_chatbot_that_fails_from_the_start_is_recognized_in_few_probes():
    counts: Counter[tuple[float, bool]] = Counter()
    for share, seed in product((0.1, 0.64), range(400)):
        random = Random(f"{share}/{seed}")
        search = searched(12, lambda turn, way, random=random, share=share: random.random() < share)
        counts[share, await search.fails_from_start()] += 1
        assert search.probes <= 8

    assert counts[0.1, False] >= 0.8 * 400
    assert counts[0.64, True] >= 0.95 * 400


async def test_a_later_turn_that_can_pass_moves_the_turn_behind_it():
    failing = {2, 3, 6, 7, 8}  # none of the ways tried passes after 2 and 3, but one does after 5

    found = await searched(8, lambda turn, way: turn in failing).exact()

    assert found is not None
    assert found.turn == 6


async def test_a_probe_with_another_result_the_second_time_means_a_random_chatbot():
    seen: list[tuple[int, int]] = []

    def fails(turn: int, way: int) -> bool:
        seen.append((turn, way))
        return turn >= 3 and seen.count((turn, way)) == 1

    assert await searched(6, fails).exact() is None


async def test_results_that_say_nothing_are_no_failures_and_cost_a_probe():
    found = await searched(4, lambda turn, way: None if way == 0 else turn >= 2).exact()
    assert found is not None
    assert found.turn == 2

    spent = searched(4, lambda turn, way: None, most=7)
    assert (await spent.likely()).probes == 7
