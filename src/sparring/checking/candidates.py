"""Counting by looking at every candidate, where nothing quicker is known; on groups, many at a time, under a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sparring.checking.columns import Bools, Ints
from sparring.checking.edges import joint_codes
from sparring.checking.predicates import Equal, Less, Opaque

_PORTION = 250_000
_AT_A_TIME = 20_000
_A_STEP = 5


class OverBudget(Exception):
    """There are more candidates than may be looked at."""


@dataclass(slots=True)
class Budget:
    """How many candidates may be looked at in all; a step of Python counts for five of them."""

    left: int

    def spend(self, candidates: int) -> None:
        """Take so many of those left."""
        self.left -= candidates
        if self.left < 0:
            raise OverBudget


@dataclass(frozen=True, slots=True)
class _Classes:
    """The groups of one position by all the problem looks at: a first one, how many, and which class each is in."""

    first: Ints
    weights: Ints
    classes: Ints


def enumerated(
    rows: list[Ints],
    equal: Sequence[Equal],
    less: Sequence[Less],
    opaque: Sequence[Opaque],
    sizes: Ints,
    root: int,
    budget: Budget,
) -> Ints:
    """For each group, in how many tuples one given conversation of it stands at position `root`."""
    at = [_classes(rows[p], _codes_used(p, equal, less, opaque), sizes) for p in range(len(rows))]
    counts = np.zeros(len(at[root].first), np.int64)
    for found in _extended({}, at, equal, less, budget):
        keep = _opaque(found, at, opaque, budget)
        weights = np.ones(int(keep.sum()), np.int64)
        for position, indices in found.items():
            if position != root:
                weights = weights * at[position].weights[indices[keep]]
        np.add.at(counts, found[root][keep], weights)
    by_group = np.zeros(len(sizes), np.int64)
    by_group[rows[root]] = counts[at[root].classes]
    return by_group


def _codes_used(at: int, equal: Sequence[Equal], less: Sequence[Less], opaque: Sequence[Opaque]) -> list[Ints]:
    used = [p.left_codes for p in equal if p.left == at] + [p.right_codes for p in equal if p.right == at]
    used += [p.small_ranks for p in less if p.small == at] + [p.large_ranks for p in less if p.large == at]
    used += [column.codes for p in opaque for leaf, column in p.residual.leaves if p.places[leaf] == at]
    return list({id(codes): codes for codes in used}.values())


def _classes(rows: Ints, used: list[Ints], sizes: Ints) -> _Classes:
    keys = np.zeros(len(rows), np.int64)
    for codes in used:
        _, some = np.unique(codes[rows], return_inverse=True)
        _, keys = np.unique(keys * (int(some.max(initial=0)) + 1) + some, return_inverse=True)
    _, first, classes = np.unique(keys, return_index=True, return_inverse=True)
    weights = np.zeros(len(first), np.int64)
    np.add.at(weights, classes, sizes[rows])
    return _Classes(rows[first], weights, classes.astype(np.int64))


def _extended(
    found: dict[int, Ints], at: list[_Classes], equal: Sequence[Equal], less: Sequence[Less], budget: Budget
) -> Iterator[dict[int, Ints]]:
    """Tuples of classes, position by position and in portions, that satisfy the comparisons."""
    position = len(found)
    if position == len(at):
        yield found
        return
    matches, begin, end = _matching(found, at, equal)
    number = end - begin
    running = np.cumsum(number)
    budget.spend(int(running[-1]) if len(running) else 0)
    start = 0
    while start < len(number):
        base = int(running[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(running, base + _PORTION, "right")))
        some = number[start:stop]
        before = np.repeat(np.arange(start, stop), some)
        offset = np.arange(int(some.sum())) - np.repeat(np.cumsum(some) - some, some)
        longer = {p: indices[before] for p, indices in found.items()}
        longer[position] = matches[np.repeat(begin[start:stop], some) + offset]
        keep = _less(longer, at, less)
        if keep.any():
            yield from _extended({p: indices[keep] for p, indices in longer.items()}, at, equal, less, budget)
        start = stop


def _matching(found: dict[int, Ints], at: list[_Classes], equal: Sequence[Equal]) -> tuple[Ints, Ints, Ints]:
    """The classes of the next position, and for each tuple the range of those equal where they have to be."""
    new = len(found)
    tuples = len(found[0]) if found else 1
    pairs = []
    for p in equal:
        if p.right == new and p.left in found:
            pairs.append((p.left_codes[at[p.left].first[found[p.left]]], p.right_codes[at[new].first]))
        elif p.left == new and p.right in found:
            pairs.append((p.right_codes[at[p.right].first[found[p.right]]], p.left_codes[at[new].first]))
    wanted, there = joint_codes(pairs, tuples, len(at[new].first))
    order = np.argsort(there, kind="stable")
    return order, np.searchsorted(there[order], wanted, "left"), np.searchsorted(there[order], wanted, "right")


def _less(found: dict[int, Ints], at: list[_Classes], less: Sequence[Less]) -> Bools:
    new = len(found) - 1
    keep = np.ones(len(found[0]), np.bool_)
    for p in less:
        if max(p.small, p.large) == new:
            small, large = at[p.small].first[found[p.small]], at[p.large].first[found[p.large]]
            keep &= p.small_ranks[small] < p.large_ranks[large]
    return keep


def _opaque(found: dict[int, Ints], at: list[_Classes], opaque: Sequence[Opaque], budget: Budget) -> Bools:
    keep = np.ones(len(found[0]), np.bool_)
    for p in opaque:
        left = np.flatnonzero(keep)
        for some in np.split(left, range(_AT_A_TIME, len(left), _AT_A_TIME)):
            rows = {leaf: at[p.places[leaf]].first[found[p.places[leaf]][some]] for leaf, _ in p.residual.leaves}
            before = p.residual.steps
            keep[some] = p.residual.outcomes(rows) == p.outcome
            budget.spend((p.residual.steps - before) * _A_STEP)
    return keep
