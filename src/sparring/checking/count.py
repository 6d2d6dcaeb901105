"""How many tuples of different conversations a sum of problems has: exactly, and if possible without looking at any."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparring.checking.candidates import Budget, enumerated
from sparring.checking.columns import Ints
from sparring.checking.edges import along
from sparring.checking.partitions import partitions
from sparring.checking.predicates import Equal, Less, Mask, Opaque, Problem, Signed, contradictory, merged
from sparring.checking.trees import Edge, Ends, tree_of

_PROBLEM = 1000
"""What it costs to count one problem, in candidates: no rule may be split into any number of them."""


@dataclass(frozen=True, slots=True)
class Population:
    """Groups of conversations that no rule can tell apart: how many there are in each.

    `positions` is how many conversations a tuple has; `budget` is how much enumerating it may cost to count them.
    """

    sizes: Ints
    positions: int
    budget: Budget


def count(problems: Signed, population: Population) -> int:
    """How many tuples there are."""
    return dot(count_at(0, problems, population), population.sizes)


def count_at(root: int, problems: Signed, population: Population, fixed: Problem = ()) -> Ints:
    """For each group, in how many tuples one given conversation of it stands at position `root`."""
    found = np.zeros(len(population.sizes), np.int64)
    for sign, problem in problems:
        for weight, blocks in partitions(population.positions):
            together = tuple(merged(predicate, blocks) for predicate in (*problem, *fixed))
            population.budget.spend(_PROBLEM)
            if not contradictory(together):
                same = replace(population, positions=max(blocks) + 1)
                found += sign * weight * _solved(together, same, blocks[root])
    return found


def dot(counts: Ints, sizes: Ints) -> int:
    """The sum of products in whole numbers of any size: the totals of four positions do not fit into 64 bits."""
    high, low = counts >> 31, counts & (2**31 - 1)
    return (_dot(high, sizes) << 31) + _dot(low, sizes)


def _dot(counts: Ints, sizes: Ints) -> int:
    if len(counts) and int(np.abs(counts).max()) * int(sizes.sum()) >= 2**62:
        return sum(a * b for a, b in zip(counts.tolist(), sizes.tolist(), strict=True))
    return int((counts * sizes).sum())


def _solved(problem: Problem, population: Population, root: int) -> Ints:
    """The same for one problem, with positions that may hold the same conversation."""
    size, groups = population.positions, len(population.sizes)
    rows = [allowed(at, problem, groups) for at in range(size)]
    comparisons, rows = _narrowed([p for p in problem if isinstance(p, Equal | Less)], rows)
    if not all(len(some) for some in rows):
        return np.zeros(groups, np.int64)
    opaque = [predicate for predicate in problem if isinstance(predicate, Opaque)]
    equal = [predicate for predicate in comparisons if isinstance(predicate, Equal)]
    less = [predicate for predicate in comparisons if isinstance(predicate, Less)]
    tree = None if opaque else tree_of(size, equal, less)
    if tree is None:
        return enumerated(rows, equal, less, opaque, population.sizes, root, population.budget)
    return _along_tree(tree, rows, population.sizes, root)


def allowed(at: int, problem: Problem, groups: int) -> Ints:
    """The groups that satisfy everything a problem asks of one position alone."""
    masks = [predicate.mask for predicate in problem if isinstance(predicate, Mask) and predicate.position == at]
    return np.flatnonzero(np.logical_and.reduce(masks)) if masks else np.arange(groups)


def _narrowed(comparisons: Sequence[Equal | Less], rows: list[Ints]) -> tuple[list[Equal | Less], list[Ints]]:
    """Where one group only is left at a position, a comparison with it is a condition on the other position."""
    rows, rest = list(rows), list[Equal | Less]()
    for predicate in comparisons:
        one, a, other, b = _sides(predicate)
        if len(rows[one]) == 0 or len(rows[other]) == 0 or (len(rows[one]) != 1 and len(rows[other]) != 1):
            rest.append(predicate)
            continue
        left, right = a[rows[one]], b[rows[other]]
        holds = (left == right) & (left >= 0) if isinstance(predicate, Equal) else left < right
        narrow = one if len(rows[other]) == 1 else other
        rows[narrow] = rows[narrow][np.broadcast_to(holds, (len(rows[narrow]),))]
    return rest, rows


def _sides(predicate: Equal | Less) -> tuple[int, Ints, int, Ints]:
    if isinstance(predicate, Equal):
        return predicate.left, predicate.left_codes, predicate.right, predicate.right_codes
    return predicate.small, predicate.small_ranks, predicate.large, predicate.large_ranks


def _along_tree(tree: dict[Ends, Edge], rows: list[Ints], sizes: Ints, root: int) -> Ints:
    """Each position tells its parent how many ways there are below it; the root's own size stays out."""
    neighbours: dict[int, list[tuple[int, Edge]]] = {at: [] for at in range(len(rows))}
    for (one, other), edge in tree.items():
        neighbours[one].append((other, edge))
        neighbours[other].append((one, edge))
    reached: set[int] = set()

    def ways(at: int, parent: int | None) -> Ints:
        reached.add(at)
        found = np.ones(len(rows[at]), np.int64)
        for child, edge in neighbours[at]:
            if child != parent:
                below = ways(child, at) * sizes[rows[child]]
                found = found * along(edge, at, rows[at], rows[child], below)
        return found

    at_root, others = ways(root, None), 1
    for at in range(len(rows)):
        if at not in reached:
            others *= dot(ways(at, None), sizes[rows[at]])
    counts = np.zeros(len(sizes), np.int64)
    counts[rows[root]] = at_root * others
    return counts
