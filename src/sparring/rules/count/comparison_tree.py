"""Trees of comparisons over the positions of a rule, and counting along one edge of a tree.

Counts over distinct conversations follow from counts over any conversations by Möbius inversion over the partitions of
the positions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import factorial, prod

import numpy as np

from sparring.rules.count.predicates import Equal, Less
from sparring.rules.evaluate.columns import Ints

MAX_INEQUALITIES = 2
Ends = tuple[int, int]


@dataclass(slots=True)
class Edge:
    """Comparisons between two positions: equal codes and smaller ranks."""

    equal: list[tuple[int, Ints, int, Ints]] = field(default_factory=list)
    less: list[Less] = field(default_factory=list)


class _UnionFind:
    """Connected positions (union-find)."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def top(self, position: int) -> int:
        while self._above[position] != position:
            position = self._above[position]
        return position

    def join(self, one: int, other: int) -> bool:
        """Join two positions; return False if they were connected already."""
        a, b = self.top(one), self.top(other)
        self._above[a] = b
        return a != b


def tree_of(size: int, equal: Sequence[Equal], less: Sequence[Less]) -> dict[Ends, Edge] | None:
    """Return the edges of the tree, or None for a cycle or an edge with too many inequalities."""
    joined, edges = _UnionFind(size), dict[Ends, Edge]()
    for predicate in less:
        edges.setdefault(_ends(predicate.small, predicate.large), Edge()).less.append(predicate)
    if not all(joined.join(*ends) for ends in edges) or any(len(e.less) > MAX_INEQUALITIES for e in edges.values()):
        return None
    return edges if all(_add_class(each, edges, joined) for each in _classes(equal)) else None


def _ends(one: int, other: int) -> Ends:
    return (one, other) if one < other else (other, one)


def _classes(equal: Sequence[Equal]) -> list[dict[tuple[int, int], Ints]]:
    """Return classes of codes that must all be equal, by position and array."""
    classes: list[dict[tuple[int, int], Ints]] = []
    for predicate in equal:
        left, right = predicate.left_codes, predicate.right_codes
        nodes = {(predicate.left, id(left)): left, (predicate.right, id(right)): right}
        hit = [each for each in classes if each.keys() & nodes.keys()]
        for each in hit:
            nodes |= each
        classes = [each for each in classes if not any(each is one for one in hit)] + [nodes]
    return classes


def _add_class(nodes: dict[tuple[int, int], Ints], edges: dict[Ends, Edge], joined: _UnionFind) -> bool:
    """Add a class of equal codes to the tree; return False if that needs a cycle."""
    codes = {position: array for (position, _), array in nodes.items()}
    if len(codes) < len(nodes):
        return False
    order = sorted(codes)
    for one, other in pairwise(order):
        if joined.join(one, other):
            edges[one, other] = Edge()
    inside = [ends for ends in edges if ends[0] in codes and ends[1] in codes]
    if len(inside) != len(order) - 1:
        return False
    for one, other in inside:
        edges[one, other].equal.append((one, codes[one], other, codes[other]))
    return True


_LARGEST = 2**62


def sum_along(edge: Edge, parent: int, parents: Ints, children: Ints, weights: Ints) -> Ints:
    """Return for each of `parents` the summed weights of the `children` that satisfy the edge."""
    pairs = [(a, b) if one == parent else (b, a) for one, a, _, b in edge.equal]
    parent_keys, child_keys = joint_codes([(a[parents], b[children]) for a, b in pairs], len(parents), len(children))
    there = child_keys >= 0
    if not there.all():
        children, weights, child_keys = children[there], weights[there], child_keys[there]
    if not len(children):
        return np.zeros(len(parents), np.int64)
    smaller = [
        (less.large_ranks[parents], less.small_ranks[children])
        if less.large == parent
        else (-less.small_ranks[parents], -less.large_ranks[children])
        for less in edge.less
    ]
    if not smaller:
        return _by_key(parent_keys, child_keys, weights)
    return _below(parent_keys, child_keys, weights, smaller)


def joint_codes(pairs: Sequence[tuple[Ints, Ints]], parents: int, children: int) -> tuple[Ints, Ints]:
    """Combine several codes into one: -1 for a parent, -2 for a child, if any of its codes is negative."""
    left, right = np.zeros(parents, np.int64), np.zeros(children, np.int64)
    no_left, no_right = np.zeros(parents, np.bool_), np.zeros(children, np.bool_)
    for a, b in pairs:
        no_left |= a < 0
        no_right |= b < 0
        size = int(max(a.max(initial=0), b.max(initial=0))) + 1
        if (int(max(left.max(initial=0), right.max(initial=0))) + 1) * size >= _LARGEST:
            _, both = np.unique(np.concatenate([left, right]), return_inverse=True)
            left, right = both[:parents], both[parents:]
        left, right = left * size + a, right * size + b
    left[no_left], right[no_right] = -1, -2
    return left, right


def _by_key(parent_keys: Ints, child_keys: Ints, weights: Ints) -> Ints:
    parents, children, size = _compact(parent_keys, child_keys)
    totals = np.zeros(size, np.int64)
    np.add.at(totals, children, weights)
    return np.where(parents >= 0, totals[parents], 0)


def _compact(parents: Ints, children: Ints) -> tuple[Ints, Ints, int]:
    """Return keys renumbered from 0 without large gaps, and their number; -1 for a parent without a child."""
    least, most = int(children.min()), int(children.max())
    if most - least > 4 * len(children):
        keys = np.unique(children)
        at = np.minimum(np.searchsorted(keys, parents), len(keys) - 1)
        return np.where(keys[at] == parents, at, -1), np.searchsorted(keys, children), len(keys)
    inside = (parents >= least) & (parents <= most)
    return np.where(inside, parents - least, -1), children - least, most - least + 1


def _compact_bounds(bounds: Ints, values: Ints) -> tuple[Ints, Ints, int]:
    """Return bounds and values renumbered from 0 without large gaps, and the number of values."""
    least, most = int(values.min()), int(values.max())
    if most - least > 4 * len(values):
        different = np.unique(values)
        return np.searchsorted(different, bounds), np.searchsorted(different, values), len(different)
    return np.clip(bounds - least, 0, most - least + 1), values - least, most - least + 1


def _below(parent_keys: Ints, child_keys: Ints, weights: Ints, smaller: list[tuple[Ints, Ints]]) -> Ints:
    """Sum children with the parent's key whose rank is below the parent's, in one respect or two.

    Children are sorted by key and rank, so those below in the first respect form a range; the second respect is counted
    within ranges.
    """
    parents, children, _ = _compact(parent_keys, child_keys)
    below, ranks, size = _compact_bounds(*smaller[0])
    places = children * (size + 1) + ranks
    order = np.argsort(places, kind="stable")
    begin = np.searchsorted(places[order], parents * (size + 1))
    end = np.searchsorted(places[order], parents * (size + 1) + below)
    if len(smaller) == 1:
        running = np.concatenate([[0], np.cumsum(weights[order])])
        return np.where(parents >= 0, running[end] - running[begin], 0)
    inside = _below_in_ranges(smaller[1][1][order], weights[order], begin, end, smaller[1][0])
    return np.where(parents >= 0, inside, 0)


def _below_in_ranges(values: Ints, weights: Ints, begin: Ints, end: Ints, bounds: Ints) -> Ints:
    """Sum the weights in each range whose value is below the bound, with a wavelet matrix, bit by bit."""
    bounds, values, size = _compact_bounds(bounds, values)
    found = np.zeros(len(bounds), np.int64)
    for bit in range(size.bit_length() - 1, -1, -1):
        ones = (values >> bit) & 1 == 1
        zeros_before = np.concatenate([[0], np.cumsum(~ones)])
        order = np.concatenate([np.flatnonzero(~ones), np.flatnonzero(ones)])
        running = np.concatenate([[0], np.cumsum(weights[order])])
        zero_begin, zero_end = zeros_before[begin], zeros_before[end]
        up = (bounds >> bit) & 1 == 1
        found += np.where(up, running[zero_end] - running[zero_begin], 0)
        zeros = zeros_before[-1]
        begin = np.where(up, zeros + begin - zero_begin, zero_begin)
        end = np.where(up, zeros + end - zero_end, zero_end)
        values, weights = values[order], weights[order]
    return found


Blocks = tuple[int, ...]


def partitions(size: int) -> Iterator[tuple[int, Blocks]]:
    """Yield every partition of the positions as the block of each position, with its weight in the sum.

    The number of tuples of distinct conversations is the weighted sum, over all partitions, of the number of tuples
    that hold the same conversation within each block. For two positions: all pairs minus self-pairs.
    """
    for blocks in _blocks(size, 0, ()):
        sizes = [blocks.count(block) for block in range(max(blocks) + 1)]
        yield prod((-1) ** (size - 1) * factorial(size - 1) for size in sizes), blocks


def _blocks(size: int, used: int, begun: Blocks) -> Iterator[Blocks]:
    if len(begun) == size:
        yield begun
        return
    for block in range(used + 1):
        yield from _blocks(size, max(used, block + 1), (*begun, block))
