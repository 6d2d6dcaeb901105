"""Counting along one edge: for each conversation on one side, the weight of those on the other that go with it."""

from collections.abc import Sequence

import numpy as np

from sparring.checking.columns import Bools, Ints
from sparring.checking.trees import Edge

_LARGEST = 2**62


def along(edge: Edge, parent: int, parents: Ints, children: Ints, weights: Ints) -> Ints:
    """For each of `parents`, the sum of the weights of those `children` that satisfy the edge."""
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
    """One code for several: -1 for a parent, -2 for a child, where one of them equals nothing."""
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
    keys, inverse = np.unique(child_keys, return_inverse=True)
    totals = np.zeros(len(keys), np.int64)
    np.add.at(totals, inverse, weights)
    at, there = _find(keys, parent_keys)
    return np.where(there, totals[at], 0)


def _find(keys: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    """Where in sorted keys the wanted ones are, and whether they are there."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return at, keys[at] == wanted


def _below(parent_keys: Ints, child_keys: Ints, weights: Ints, smaller: list[tuple[Ints, Ints]]) -> Ints:
    """Children with the parent's key whose rank is below the parent's, in one respect or in two.

    Children are sorted by key and rank, so that those below in the first respect are a range; a second respect is
    counted within ranges.
    """
    parent_ranks, child_ranks = smaller[0]
    ranks = np.unique(np.concatenate(smaller[0]))
    parent_ranks, child_ranks = np.searchsorted(ranks, parent_ranks), np.searchsorted(ranks, child_ranks)
    keys = np.unique(child_keys)
    at, there = _find(keys, parent_keys)
    places = np.searchsorted(keys, child_keys) * (len(ranks) + 1) + child_ranks
    order = np.argsort(places, kind="stable")
    begin = np.searchsorted(places[order], at * (len(ranks) + 1))
    end = np.searchsorted(places[order], at * (len(ranks) + 1) + parent_ranks)
    if len(smaller) == 1:
        running = np.concatenate([[0], np.cumsum(weights[order])])
        return np.where(there, running[end] - running[begin], 0)
    return np.where(there, _below_in_ranges(smaller[1][1][order], weights[order], begin, end, smaller[1][0]), 0)


def _below_in_ranges(values: Ints, weights: Ints, begin: Ints, end: Ints, bounds: Ints) -> Ints:
    """For each range, the sum of the weights in it whose value is below the bound: a wavelet matrix, bit by bit."""
    different = np.unique(values)
    values, bounds = np.searchsorted(different, values), np.searchsorted(different, bounds)
    found = np.zeros(len(bounds), np.int64)
    for bit in range(max(1, len(different).bit_length()) - 1, -1, -1):
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
