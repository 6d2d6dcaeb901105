"""Predicates of counting problems. A problem is a conjunction; rules are signed sums of problems.

Conditions that do not compare two columns are opaque: Python evaluates them once for each distinct case.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.rules.evaluate.arithmetic import vectorize
from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.columns import Bools, Column, Ints
from sparring.rules.evaluate.compiler import closure
from sparring.rules.evaluate.model_questions import ModelAnswers, ModelQuestion, Unanswered
from sparring.rules.limits import MAX_STEPS
from sparring.rules.undecided import Failure, NeedsModel, is_missing


@dataclass(frozen=True, eq=False, slots=True)
class Mask:
    """The conversation at `position` belongs to a masked group."""

    position: int
    mask: Bools


@dataclass(frozen=True, eq=False, slots=True)
class Equal:
    """The codes at two positions are equal. A negative code equals nothing."""

    left: int
    left_codes: Ints
    right: int
    right_codes: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Less:
    """The rank at position `small` is less than the rank at `large`.

    `column` is the name of the column if both are ranks of the same one.
    """

    small: int
    small_ranks: Ints
    large: int
    large_ranks: Ints
    column: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Opaque:
    """The Python predicate `residual`, with its positions at `places`, has this `outcome`."""

    residual: "PythonPredicate"
    places: tuple[int, ...]
    outcome: int


Predicate = Mask | Equal | Less | Opaque
Problem = tuple[Predicate, ...]
Signed = list[tuple[int, Problem]]


def product(left: Signed, right: Signed) -> Signed:
    """Return the sum of problems for tuples in both sums."""
    return [(one * other, (*a, *b)) for one, a in left for other, b in right]


def minus(left: Signed, *others: Signed) -> Signed:
    """Return the sum for tuples in `left` and in none of the others, which must be subsets of it."""
    return left + [(-sign, problem) for other in others for sign, problem in other]


def merge(predicate: Predicate, blocks: Sequence[int]) -> Predicate:
    """Return the predicate for positions of which those in one block hold the same conversation."""
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
    """Return True if the problem requires x[0] < x[1] < ... < x[0] in one column."""
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


FALSE, TRUE, ERROR, NO_MODEL, MISSING = range(5)
_MAX_CACHED = 1_000_000
_EVALUATION_COST = 10

Leaf = tuple[int, Column]


class PythonPredicate:
    """A condition over cells with its columns by position, and cached outcomes.

    With `exactly`, the value must equal True, as `then` requires, not only be truthy.
    """

    def __init__(self, tree: ast.expr, leaves: list[Leaf], answers: ModelAnswers, *, exactly: bool) -> None:
        self.leaves = leaves
        self.open_questions: list[ModelQuestion] = []
        self.steps = 0
        self._term = closure(tree)
        self._context = EvaluationContext((), answers)
        self._exactly = exactly
        self._fast = vectorize(tree, leaves)
        self._known: dict[tuple[int, ...], int] = {}

    def outcomes(self, rows: dict[int, Ints]) -> Ints:
        """Return the outcomes for tuples of conversations, given by position."""
        size = len(next(iter(rows.values())))
        found = np.full(size, -1, np.int64)
        if self._fast is not None:
            plain, values = self._fast.over(rows)
            found[plain] = (values == 1) if self._exactly else (values != 0)
        slow = np.flatnonzero(found < 0)
        if len(slow):
            keys = zip(*(column.codes[rows[at][slow]].tolist() for at, column in self.leaves), strict=True)
            found[slow] = [self._outcome(key) for key in keys]
        return found

    @property
    def quick(self) -> bool:
        """True if the condition is vectorized arithmetic."""
        return self._fast is not None

    def _outcome(self, key: tuple[int, ...]) -> int:
        known = self._known.get(key)
        if known is None:
            known = self._evaluated(key)
            if len(self._known) < _MAX_CACHED:
                self._known[key] = known
        return known

    def _evaluated(self, key: tuple[int, ...]) -> int:
        self._context.cells = {
            (at, column.name): column.values[code] for (at, column), code in zip(self.leaves, key, strict=True)
        }
        value = self._value()
        self.steps += _EVALUATION_COST + MAX_STEPS - self._context.steps
        if type(value) is not Failure:
            return TRUE if value else FALSE
        if isinstance(value.error, Unanswered):
            self.open_questions.append(value.error.question)
        if is_missing(value):
            return MISSING
        return NO_MODEL if isinstance(value.error, NeedsModel) else ERROR

    def _value(self) -> Any:
        value = evaluate(self._term, self._context)
        if type(value) is Failure:
            return value
        return value == True if self._exactly else bool(value)  # noqa: E712 - 1 equals True, "yes" does not
