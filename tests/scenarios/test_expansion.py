"""Which value each conversation gets."""

import subprocess
import sys
from collections import Counter
from itertools import combinations as pairs
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.scenarios.expansion import Share, combinations, expand
from sparring.scenarios.variables import Variable, function

values = st.integers(1, 6).map(lambda size: tuple(f"v{i}" for i in range(size)))


def variable(name: str, call: str, *data: str | int) -> Variable:
    return Variable(name, data, function(call))


SIZE = ("small", "medium", "big")
CANS = variable("cans", "forward(drink)", 1, 2, 3)
DRINK = variable("drink", "forward()", "sprite", "coke", "Fanta")


def column(call: str, data: tuple[str | int, ...], number: int, seed: str = "7") -> list[object]:
    return [row["x"] for row in expand([Variable("x", data, function(call))], number, seed=seed)]


def test_forward_follows_the_list_and_starts_again():
    assert column("forward()", SIZE, 4) == ["small", "medium", "big", "small"]


def test_in_a_chain_the_variable_that_is_not_nested_varies_fastest():
    rows = [(row["cans"], row["drink"]) for row in expand([CANS, DRINK], 4, seed="7")]

    assert rows == [(1, "sprite"), (1, "coke"), (1, "Fanta"), (2, "sprite")]


def test_a_longer_chain_does_not_depend_on_the_order_of_declaration():
    chain = [
        variable("c", "forward()", 1, 2),
        variable("a", "forward(b)", 1, 2),
        variable("b", "forward(c)", 1, 2),
    ]

    rows = [(row["a"], row["b"], row["c"]) for row in expand(chain, 8, seed="7")]

    assert rows == list(product((1, 2), repeat=3))


def test_two_variables_nested_in_one_are_walked_through_completely():
    tree = [variable("a", "forward(c)", 1, 2), variable("b", "forward(c)", 1, 2, 3), variable("c", "forward()", 1, 2)]

    rows = [(row["a"], row["b"], row["c"]) for row in expand(tree, 12, seed="7")]

    assert rows == list(product((1, 2), (1, 2, 3), (1, 2)))


def test_with_a_number_independent_chains_go_side_by_side():
    rows = expand([variable("a", "forward()", 1, 2), variable("b", "forward()", 1, 2, 3)], 4, seed="7")

    assert [tuple(row.values()) for row in rows] == [(1, 1), (2, 2), (1, 3), (2, 1)]


@given(st.lists(values, min_size=1, max_size=3), st.lists(values, max_size=2))
def test_all_combinations_are_the_product_of_all_chains(
    nested: list[tuple[str, ...]], independent: list[tuple[str, ...]]
):
    names = [f"n{i}" for i in range(len(nested))]
    calls = [f"forward({master})" for master in [*names[1:], ""]]
    variables = [variable(name, call, *data) for name, call, data in zip(names, calls, nested, strict=True)]
    variables += [variable(f"i{i}", "forward()", *data) for i, data in enumerate(independent)]

    rows = [tuple(row.values()) for row in expand(variables, Share(), seed="7")]

    assert rows == list(product(*nested, *independent))
    assert combinations(variables) == len(rows)


def test_a_share_is_a_sample_without_repetition_in_order_and_not_a_prefix():
    variables = [variable("a", "forward(b)", *range(10)), variable("b", "forward()", *range(10))]
    everything = [tuple(row.values()) for row in expand(variables, Share(), seed="7")]

    rows = [tuple(row.values()) for row in expand(variables, Share(0.2), seed="7")]

    assert rows == [row for row in everything if row in rows]
    assert len(rows) == len(set(rows)) == 20
    assert rows != everything[:20]


def test_a_share_too_small_for_one_still_gives_one():
    assert len(expand([variable("a", "forward()", 1, 2)], Share(0.01), seed="7")) == 1


def test_without_any_chain_there_is_one_combination():
    assert len(expand([variable("a", "random()", 1, 2)], Share(), seed="7")) == 1


@given(values, st.integers(1, 30), st.integers(0, 99))
def test_another_repeats_nothing_before_all_were_dealt(data: tuple[str, ...], number: int, seed: int):
    dealt = column("another()", data, number, str(seed))

    rounds = [dealt[start : start + len(data)] for start in range(0, number, len(data))]
    assert all(len(set(map(str, part))) == len(part) for part in rounds)


@given(values, st.integers(1, 8), st.integers(1, 12), st.integers(0, 99))
def test_several_at_a_time_are_distinct_and_dealt_evenly(data: tuple[str, ...], size: int, number: int, seed: int):
    hands = column(f"another({size})", data, number, str(seed))

    assert {(len(hand), len(set(hand))) for hand in hands if isinstance(hand, list)} == {(min(size, len(data)),) * 2}
    counts = Counter(value for hand in hands if isinstance(hand, list) for value in hand)
    assert max(counts.values()) - min(counts[value] for value in data) <= 1


@given(values, st.integers(1, 8), st.integers(0, 99))
def test_random_with_a_count_picks_that_many_different_ones(data: tuple[str, ...], size: int, seed: int):
    (picked,) = column(f"random({size})", data, 1, str(seed))

    assert isinstance(picked, list)
    assert (len(picked), set(picked) <= set(data)) == (len(set(picked)), True)
    assert len(picked) == min(size, len(data))


def test_a_variable_is_a_list_exactly_where_its_function_can_pick_several():
    calls = ["default()", "random()", "random(1)", "random(rand)", "another()", "another(1)", "forward()"]

    shapes = {call: isinstance(column(call, ("only",), 1)[0], list) for call in calls}

    assert [call for call, several in shapes.items() if several] == [
        "default()",
        "random(1)",
        "random(rand)",
        "another(1)",
    ]


@given(st.sampled_from(["random()", "random(2)", "random(rand)", "another()", "another(2)", "forward()"]), values)
def test_more_conversations_leave_the_first_ones_as_they_are(call: str, data: tuple[str, ...]):
    assert column(call, data, 20)[:7] == column(call, data, 7)


def test_what_one_variable_picks_does_not_depend_on_the_others():
    alone = column("random()", tuple(range(100)), 9)

    together = expand([variable("y", "another()", 1, 2), variable("x", "random()", *range(100))], 9, seed="7")

    assert [row["x"] for row in together] == alone


def test_another_seed_picks_something_else():
    assert column("random()", tuple(range(100)), 9, "7") != column("random()", tuple(range(100)), 9, "8")


@pytest.mark.process
def test_picks_do_not_depend_on_the_hash_seed():
    program = (
        "from sparring.scenarios.variables import *; from sparring.scenarios.expansion import *;"
        "names = [Variable(n, tuple('abcdef'), function(c)) for n, c in"
        " [('x', 'another(2)'), ('y', 'random(rand)'), ('a', 'forward(b)'), ('b', 'forward()'), ('c', 'forward(b)')]];"
        "print(expand(names, 9, seed='7'), expand(names, Share(0.1), seed='7'))"
    )

    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }

    assert len(runs) == 1


def test_pairwise_variables_meet_in_few_rows_each_with_each():
    variables = [variable(name, "pairwise()", *range(4)) for name in "abcde"]

    rows = expand(variables, Share(), seed="7")

    assert len(rows) < 30
    for one, other in pairs("abcde", 2):
        assert {(row[one], row[other]) for row in rows} == set(product(range(4), repeat=2))


def test_covering_takes_the_strength_it_is_given():
    variables = [variable(name, "covering(3)", *range(3)) for name in "abcd"]

    rows = expand(variables, Share(), seed="7")

    for names in pairs("abcd", 3):
        assert {tuple(row[name] for name in names) for row in rows} == set(product(range(3), repeat=3))


def test_what_is_covered_multiplies_with_the_chains_unless_only_one_kind_is_asked_for():
    variables = [
        variable("size", "forward()", "small", "big"),
        *(variable(name, "pairwise()", 1, 2, 3) for name in "ab"),
    ]

    counts = {over: len(expand(variables, Share(over=over), seed="7")) for over in ("", "forward", "pairwise")}
    rows = expand(variables, Share(over="pairwise"), seed="7")

    assert counts == {"": 18, "forward": 2, "pairwise": 9}
    assert [row["size"] for row in rows[:4]] == ["small", "big", "small", "big"]
