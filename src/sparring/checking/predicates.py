"""What a counting problem is made of: conditions on the conversations in the positions of a rule, each true or false.

A problem is a conjunction of predicates; what a rule asks for is a sum of problems with signs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparring.checking.columns import Bools, Ints

if TYPE_CHECKING:
    from sparring.checking.residual import Residual


@dataclass(frozen=True, eq=False, slots=True)
class Mask:
    """The conversation at `position` is one of these."""

    position: int
    mask: Bools


@dataclass(frozen=True, eq=False, slots=True)
class Equal:
    """The codes of two positions are equal; a negative code equals nothing."""

    left: int
    left_codes: Ints
    right: int
    right_codes: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Less:
    """The rank at position `small` is less than the one at `large`; `column` names what both are ranks of, if one."""

    small: int
    small_ranks: Ints
    large: int
    large_ranks: Ints
    column: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Opaque:
    """Only Python can say: `residual` has this `outcome`, its positions being at `places`."""

    residual: "Residual"
    places: tuple[int, ...]
    outcome: int


Predicate = Mask | Equal | Less | Opaque
Problem = tuple[Predicate, ...]
Signed = list[tuple[int, Problem]]


def product(left: Signed, right: Signed) -> Signed:
    """The sum of problems that hold where both hold."""
    return [(one * other, (*a, *b)) for one, a in left for other, b in right]


def minus(left: Signed, *others: Signed) -> Signed:
    """What holds in the first and in none of the others, which are parts of it."""
    return left + [(-sign, problem) for other in others for sign, problem in other]


def merged(predicate: Predicate, blocks: Sequence[int]) -> Predicate:
    """The predicate when positions that share a block are one and the same conversation."""
    if isinstance(predicate, Mask):
        return Mask(blocks[predicate.position], predicate.mask)
    if isinstance(predicate, Opaque):
        return Opaque(predicate.residual, tuple(blocks[place] for place in predicate.places), predicate.outcome)
    if isinstance(predicate, Equal):
        left, right, a, b = blocks[predicate.left], blocks[predicate.right], predicate.left_codes, predicate.right_codes
        return Mask(left, (a == b) & (a >= 0)) if left == right else Equal(left, a, right, b)
    small, large = blocks[predicate.small], blocks[predicate.large]
    if small == large:
        return Mask(small, predicate.small_ranks < predicate.large_ranks)
    return Less(small, predicate.small_ranks, large, predicate.large_ranks, predicate.column)


def contradictory(problem: Problem) -> bool:
    """Whether it asks for x[0] < x[1] < ... < x[0] of one column, which no conversations satisfy."""
    larger: dict[tuple[str, int], set[int]] = {}
    for predicate in problem:
        if isinstance(predicate, Less) and predicate.column:
            larger.setdefault((predicate.column, predicate.small), set()).add(predicate.large)
    return any(_returns(larger, column, start) for column, start in larger)


def _returns(larger: dict[tuple[str, int], set[int]], column: str, start: int) -> bool:
    todo, seen = [start], set[int]()
    while todo:
        for position in larger.get((column, todo.pop()), ()):
            if position == start:
                return True
            if position not in seen:
                seen.add(position)
                todo.append(position)
    return False
