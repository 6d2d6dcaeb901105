from math import perm

from sparring.rules.count.comparison_tree import partitions
from tables import table


@table(("size", "number"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)])
def test_there_are_as_many_as_ways_to_coincide(size: int, number: int):
    assert len(list(partitions(size))) == number


@table("size", [1, 2, 3, 4, 5])
def test_the_weighted_sum_counts_tuples_of_different_things(size: int):
    assert [sum(weight * n ** (max(blocks) + 1) for weight, blocks in partitions(size)) for n in range(7)] == [
        perm(n, size) for n in range(7)
    ]
