"""Whether a problem's comparisons form a tree over the positions, which is what makes it countable edge by edge."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sparring.checking.columns import Ints
from sparring.checking.predicates import Equal, Less

MOST_INEQUALITIES = 2
Ends = tuple[int, int]


@dataclass(slots=True)
class Edge:
    """What two positions have to do with each other: codes that are equal, and ranks that are smaller."""

    equal: list[tuple[int, Ints, int, Ints]] = field(default_factory=list)
    less: list[Less] = field(default_factory=list)


class _Joined:
    """Which positions hang together."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def top(self, position: int) -> int:
        while self._above[position] != position:
            position = self._above[position]
        return position

    def join(self, one: int, other: int) -> bool:
        """Join two; False if they hang together already."""
        a, b = self.top(one), self.top(other)
        self._above[a] = b
        return a != b


def tree_of(size: int, equal: Sequence[Equal], less: Sequence[Less]) -> dict[Ends, Edge] | None:
    """The edges of the tree, or None if there is a cycle or an edge with too many inequalities."""
    joined, edges = _Joined(size), dict[Ends, Edge]()
    for predicate in less:
        edges.setdefault(_ends(predicate.small, predicate.large), Edge()).less.append(predicate)
    if not all(joined.join(*ends) for ends in edges) or any(len(e.less) > MOST_INEQUALITIES for e in edges.values()):
        return None
    return edges if all(_add_class(each, edges, joined) for each in _classes(equal)) else None


def _ends(one: int, other: int) -> Ends:
    return (one, other) if one < other else (other, one)


def _classes(equal: Sequence[Equal]) -> list[dict[tuple[int, int], Ints]]:
    """Codes that all have to be equal, by position and array."""
    classes: list[dict[tuple[int, int], Ints]] = []
    for predicate in equal:
        left, right = predicate.left_codes, predicate.right_codes
        nodes = {(predicate.left, id(left)): left, (predicate.right, id(right)): right}
        hit = [each for each in classes if each.keys() & nodes.keys()]
        for each in hit:
            nodes |= each
        classes = [each for each in classes if not any(each is one for one in hit)] + [nodes]
    return classes


def _add_class(nodes: dict[tuple[int, int], Ints], edges: dict[Ends, Edge], joined: _Joined) -> bool:
    """Lay a class along the tree; False if it cannot be laid along it without a cycle."""
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
