"""Exact counts of tuples of distinct conversations that satisfy a signed sum of problems.

Problems whose comparisons form a tree are counted without enumeration; others are enumerated in groups of equal
conversations, within a budget.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparring.rules.count.comparison_tree import Edge, Ends, joint_codes, partitions, sum_along, tree_of
from sparring.rules.count.predicates import Equal, Less, Mask, Opaque, Problem, Signed, contradictory, merge
from sparring.rules.evaluate.columns import Bools, Ints

_CHUNK = 250_000
_OPAQUE_CHUNK = 20_000
_STEP_COST = 5


class OverBudget(Exception):
    """More candidates would have to be enumerated than the budget allows."""


@dataclass(slots=True)
class CandidateBudget:
    """Remaining candidates that may be enumerated. Evaluating a condition in Python costs five per step."""

    left: int

    def spend(self, candidates: int) -> None:
        """Spend candidates. Raise OverBudget if none are left."""
        self.left -= candidates
        if self.left < 0:
            raise OverBudget


@dataclass(frozen=True, slots=True)
class _Classes:
    """Classes of equal groups at one position: first group, total size, and the class of each group."""

    first: Ints
    weights: Ints
    classes: Ints


def enumerate_tuples(
    rows: list[Ints],
    equal: Sequence[Equal],
    less: Sequence[Less],
    opaque: Sequence[Opaque],
    sizes: Ints,
    root: int,
    budget: CandidateBudget,
) -> Ints:
    """Return for each group the number of tuples with one given conversation of it at position `root`."""
    at = [_classes(rows[p], _codes_used(p, equal, less, opaque), sizes) for p in range(len(rows))]
    counts = np.zeros(len(at[root].first), np.int64)
    for found in _extend({}, at, equal, less, budget):
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


def _extend(
    found: dict[int, Ints], at: list[_Classes], equal: Sequence[Equal], less: Sequence[Less], budget: CandidateBudget
) -> Iterator[dict[int, Ints]]:
    """Yield tuples of classes that satisfy the comparisons, position by position and in chunks."""
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
        stop = max(start + 1, int(np.searchsorted(running, base + _CHUNK, "right")))
        some = number[start:stop]
        before = np.repeat(np.arange(start, stop), some)
        offset = np.arange(int(some.sum())) - np.repeat(np.cumsum(some) - some, some)
        longer = {p: indices[before] for p, indices in found.items()}
        longer[position] = matches[np.repeat(begin[start:stop], some) + offset]
        keep = _less(longer, at, less)
        if keep.any():
            yield from _extend({p: indices[keep] for p, indices in longer.items()}, at, equal, less, budget)
        start = stop


def _matching(found: dict[int, Ints], at: list[_Classes], equal: Sequence[Equal]) -> tuple[Ints, Ints, Ints]:
    """Return the classes of the next position sorted by key, and the matching range for each tuple."""
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


def _opaque(found: dict[int, Ints], at: list[_Classes], opaque: Sequence[Opaque], budget: CandidateBudget) -> Bools:
    keep = np.ones(len(found[0]), np.bool_)
    for p in opaque:
        left = np.flatnonzero(keep)
        for some in np.split(left, range(_OPAQUE_CHUNK, len(left), _OPAQUE_CHUNK)):
            rows = {leaf: at[p.places[leaf]].first[found[p.places[leaf]][some]] for leaf, _ in p.residual.leaves}
            before = p.residual.steps
            keep[some] = p.residual.outcomes(rows) == p.outcome
            budget.spend((p.residual.steps - before) * _STEP_COST)
    return keep


_PROBLEM_COST = 1000
"""Cost of counting one problem, in candidates. It limits the number of problems a rule expands to."""


@dataclass(frozen=True, slots=True)
class Population:
    """Group sizes of conversations with equal values, the tuple length, and the enumeration budget."""

    sizes: Ints
    positions: int
    budget: CandidateBudget


def count(problems: Signed, population: Population) -> int:
    """Return the number of tuples that satisfy the problems."""
    return dot(count_at(0, problems, population), population.sizes)


def count_at(root: int, problems: Signed, population: Population, fixed: Problem = ()) -> Ints:
    """Return for each group the number of tuples with one given conversation of it at position `root`."""
    found = np.zeros(len(population.sizes), np.int64)
    for sign, problem in problems:
        for weight, blocks in partitions(population.positions):
            together = tuple(merge(predicate, blocks) for predicate in (*problem, *fixed))
            population.budget.spend(_PROBLEM_COST)
            if not contradictory(together):
                same = replace(population, positions=max(blocks) + 1)
                found += sign * weight * _count_problem(together, same, blocks[root])
    return found


def dot(counts: Ints, sizes: Ints) -> int:
    """Return the sum of products as a Python integer: totals of four positions exceed 64 bits."""
    high, low = counts >> 31, counts & (2**31 - 1)
    return (_dot(high, sizes) << 31) + _dot(low, sizes)


def _dot(counts: Ints, sizes: Ints) -> int:
    if len(counts) and int(np.abs(counts).max()) * int(sizes.sum()) >= 2**62:
        return sum(a * b for a, b in zip(counts.tolist(), sizes.tolist(), strict=True))
    return int((counts * sizes).sum())


def _count_problem(problem: Problem, population: Population, root: int) -> Ints:
    """Count one problem, with positions that may hold the same conversation."""
    size, groups = population.positions, len(population.sizes)
    rows = [allowed(at, problem, groups) for at in range(size)]
    comparisons, rows = _narrow([p for p in problem if isinstance(p, Equal | Less)], rows)
    if not all(len(some) for some in rows):
        return np.zeros(groups, np.int64)
    opaque = [predicate for predicate in problem if isinstance(predicate, Opaque)]
    equal = [predicate for predicate in comparisons if isinstance(predicate, Equal)]
    less = [predicate for predicate in comparisons if isinstance(predicate, Less)]
    tree = None if opaque else tree_of(size, equal, less)
    if tree is None:
        return enumerate_tuples(rows, equal, less, opaque, population.sizes, root, population.budget)
    return _count_along_tree(tree, rows, population.sizes, root)


def allowed(at: int, problem: Problem, groups: int) -> Ints:
    """Return the groups that satisfy all masks of a problem at one position."""
    masks = [predicate.mask for predicate in problem if isinstance(predicate, Mask) and predicate.position == at]
    return np.flatnonzero(np.logical_and.reduce(masks)) if masks else np.arange(groups)


def _narrow(comparisons: Sequence[Equal | Less], rows: list[Ints]) -> tuple[list[Equal | Less], list[Ints]]:
    """Turn comparisons with a position of only one group into conditions on the other position."""
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


def _count_along_tree(tree: dict[Ends, Edge], rows: list[Ints], sizes: Ints, root: int) -> Ints:
    """Count along the tree: each position passes the number of completions below it to its parent.

    The size of the root's own group is not multiplied in.
    """
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
                found = found * sum_along(edge, at, rows[at], rows[child], below)
        return found

    at_root, others = ways(root, None), 1
    for at in range(len(rows)):
        if at not in reached:
            others *= dot(ways(at, None), sizes[rows[at]])
    counts = np.zeros(len(sizes), np.int64)
    counts[rows[root]] = at_root * others
    return counts
