"""Tuples drawn at random from those that agree where a rule asks for equality, when there are too many to look at each.

Every such tuple is equally likely. The seed comes from the rule's text, so the estimate repeats.
"""

import hashlib

import numpy as np

from sparring.checking.columns import Ints
from sparring.checking.count import allowed, dot
from sparring.checking.edges import along, joint_codes
from sparring.checking.plan import Plan
from sparring.checking.predicates import Equal, Mask, Problem
from sparring.checking.trees import Edge, Ends, tree_of


class Candidates:
    """The tuples that satisfy what a rule's `when` and `if` ask to be equal, and everything they ask of single ones."""

    def __init__(self, laid_out: Plan) -> None:
        self._sizes = laid_out.groups.sizes
        self._positions = laid_out.positions
        problem = _certain(laid_out)
        equal = [predicate for predicate in problem if isinstance(predicate, Equal)]
        self._rows = [allowed(at, problem, len(self._sizes)) for at in range(self._positions)]
        self._tree: dict[Ends, Edge] = tree_of(self._positions, equal, []) or {}
        self._ways: dict[int, Ints] = {}
        self._order: list[tuple[int, int | None, Edge | None]] = []
        for at in range(self._positions):
            if at not in self._ways:
                self._reach(at, None, None)

    def _reach(self, at: int, parent: int | None, edge: Edge | None) -> None:
        """Note in which order positions are drawn, and in how many ways what hangs below each can be completed."""
        self._order.append((at, parent, edge))
        self._ways[at] = np.ones(len(self._rows[at]), np.int64)
        for (one, other), link in self._tree.items():
            child = other if one == at else one if other == at else None
            if child is not None and child != parent:
                self._reach(child, at, link)
                below = self._ways[child] * self._sizes[self._rows[child]]
                self._ways[at] = self._ways[at] * along(link, at, self._rows[at], self._rows[child], below)

    @property
    def number(self) -> int:
        """How many there are, those included in which a conversation meets itself."""
        roots = [at for at, parent, _ in self._order if parent is None]
        found = 1
        for at in roots:
            found *= dot(self._ways[at], self._sizes[self._rows[at]])
        return found

    def draw(self, number: int, seed: str) -> Ints:
        """So many of them as rows of groups, without those in which a conversation meets itself."""
        random = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))
        groups = np.zeros((number, self._positions), np.int64)
        for at, parent, edge in self._order:
            of_parent = groups[:, parent] if parent is not None else np.zeros(number, np.int64)
            groups[:, at] = self._drawn(at, parent, edge, of_parent, random)
        members = (random.random(groups.shape) * self._sizes[groups]).astype(np.int64)
        repeated = np.zeros(number, np.bool_)
        for one in range(self._positions):
            for other in range(one):
                repeated |= (groups[:, one] == groups[:, other]) & (members[:, one] == members[:, other])
        return groups[~repeated]

    def _drawn(
        self, at: int, parent: int | None, edge: Edge | None, of_parent: Ints, random: np.random.Generator
    ) -> Ints:
        rows = self._rows[at]
        weights = (self._ways[at] * self._sizes[rows]).astype(np.float64)
        pairs = _pairs(edge, parent, of_parent, rows) if edge is not None and parent is not None else []
        wanted, keys = joint_codes(pairs, len(of_parent), len(rows))
        order = np.argsort(keys, kind="stable")
        running = np.concatenate([[0.0], np.cumsum(weights[order])])
        begin = np.searchsorted(keys[order], wanted, "left")
        end = np.searchsorted(keys[order], wanted, "right")
        luck = running[begin] + random.random(len(wanted)) * (running[end] - running[begin])
        place = np.clip(np.searchsorted(running, luck, "right") - 1, begin, end - 1)
        drawn: Ints = rows[order[place]]
        return drawn


def _pairs(edge: Edge, parent: int, of_parent: Ints, rows: Ints) -> list[tuple[Ints, Ints]]:
    return [(a[of_parent], b[rows]) if one == parent else (b[of_parent], a[rows]) for one, a, _, b in edge.equal]


def _certain(laid_out: Plan) -> Problem:
    """What must hold in every tuple that the rule applies to."""
    found: list[Equal | Mask] = []
    for part, atom in zip(laid_out.conditions, laid_out.atoms, strict=True):
        if part.clause != "then" and len(atom.true) == 1:
            found += [predicate for predicate in atom.true[0][1] if isinstance(predicate, Equal | Mask)]
    return tuple(found)
