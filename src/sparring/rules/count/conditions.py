"""Atoms: one condition of a rule as counting problems for its results true, error and needs model."""

import ast
import datetime
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.rules.count.predicates import (
    ERROR,
    MISSING,
    NO_MODEL,
    TRUE,
    Equal,
    Less,
    Mask,
    Opaque,
    Problem,
    PythonPredicate,
    Signed,
)
from sparring.rules.equality import frozen
from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.columns import Bools, Column, Ints
from sparring.rules.evaluate.compiled_rule import positions, rebase, with_units
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.evaluate.model_questions import ModelAnswers
from sparring.rules.undecided import Failure, Missing, NeedsModel, is_missing

NOTHING, UNDECIDED = -1, -2
_NUMBER = 0
_KINDS: dict[type, int] = {
    int: _NUMBER,
    float: _NUMBER,
    bool: _NUMBER,
    str: 1,
    datetime.date: 2,
    bytes: 5,
    dict: NOTHING,
    type(None): NOTHING,
    Failure: UNDECIDED,
}
_EXACT = 2**53


class Equality:
    """Assigns one code to each distinct value; -1 for failures and values that do not equal themselves."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, int] = {}

    def codes(self, column: Column) -> Ints:
        """Return the codes of a column's values by conversation."""
        return column.mapped(map(self._code, column.values))

    def _code(self, value: Any) -> int:
        if type(value) is Failure:
            return -1
        key, equals_itself = frozen(value)
        return self._ids.setdefault(key, len(self._ids)) if equals_itself else -1


class Ranks:
    """Kinds and ranks of the values of two columns that are to be ordered.

    Values of one kind can be ordered; None and mappings cannot be ordered at all. `possible` is False if a column has
    values, such as lists, whose order is not known beforehand. Equal values have the same rank in both columns. The
    rank of NaN is -1: it is neither smaller nor larger, without an error.
    """

    def __init__(self, left: Column, right: Column) -> None:
        values = left.values if left.values is right.values else [*left.values, *right.values]
        kinds = [_kind(value) for value in values]
        self.possible = None not in kinds
        if not self.possible:
            return
        known = [kind for kind in kinds if kind is not None]
        ranks = _ranks(values, known)
        split = len(values) - len(right.values)
        self.left_kinds, self.left = left.mapped(known[: len(left.values)]), left.mapped(ranks[: len(left.values)])
        self.right_kinds, self.right = right.mapped(known[split:]), right.mapped(ranks[split:])

    def clash(self, left: Bools, right: Bools) -> bool:
        """Return True if some pair cannot be ordered, such as a number and a text."""
        kinds = np.unique(np.concatenate([self.left_kinds[left], self.right_kinds[right]]))
        return len(kinds) > 1 or (len(kinds) == 1 and bool(kinds[0] < 0))


def _kind(value: Any) -> int | None:
    if type(value) is datetime.datetime:
        return 3 if value.utcoffset() is None else 4
    return _KINDS.get(type(value))


def _ranks(values: list[Any], kinds: list[int]) -> list[int]:
    if all(type(value) is float or (type(value) is int and -_EXACT < value < _EXACT) for value in values):
        return _ranks_of_numbers(values)
    by_kind: dict[int, set[Any]] = {}
    for value, kind in zip(values, kinds, strict=True):
        if kind >= 0 and value == value:
            by_kind.setdefault(kind, set()).add(value)
    ranks = {kind: {value: at for at, value in enumerate(sorted(some))} for kind, some in by_kind.items()}
    return [ranks.get(kind, {}).get(value, -1) if kind >= 0 else -1 for value, kind in zip(values, kinds, strict=True)]


def _ranks_of_numbers(values: list[Any]) -> list[int]:
    """Return the ranks of numbers that a float represents exactly."""
    numbers = np.array(values, np.float64)
    there = ~np.isnan(numbers)
    ranks = np.full(len(numbers), -1, np.int64)
    ranks[there] = np.searchsorted(np.unique(numbers[there]), numbers[there])
    found: list[int] = ranks.tolist()
    return found


Lookup = Callable[[ast.expr], Column]
_MAX_DIFFERENCES = 4
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True, slots=True)
class Atom:
    """Signed problems for the tuples where a condition is true, fails, needs a model, or lacks a name."""

    true: Signed = field(default_factory=list)
    error: Signed = field(default_factory=list)
    no_model: Signed = field(default_factory=list)
    missing: Signed = field(default_factory=list)
    residual: PythonPredicate | None = None


class Atoms:
    """Builds atoms over a set of columns.

    "Not equal" is everything decided minus everything equal, so each such difference doubles the problems. After a few
    differences, the rest is evaluated in Python.
    """

    def __init__(self, conversations: int, column: Lookup, answers: ModelAnswers) -> None:
        self._conversations = conversations
        self._column = column
        self._answers = answers
        self._equality = Equality()
        self._differences = 0

    def of(self, node: ast.expr, *, exactly: bool = False) -> Atom:
        """Return the atom of a condition. With `exactly`, the value must equal True, not only be truthy."""
        read = sorted(positions(node))
        if not read:
            return _constant(node, self._answers, exactly)
        if len(read) == 1 and not isinstance(node, ast.GeneratorExp):
            return self._unary(node, read[0], exactly)
        return self._comparison(node) or self._residual(node, exactly)

    def _unary(self, node: ast.expr, at: int, exactly: bool) -> Atom:
        column = self._column(rebase(node))
        true = column.where(lambda value: _holds(value, exactly))
        return Atom(
            _signed_mask(at, true),
            _signed_mask(at, column.where(_failed)),
            _signed_mask(at, column.where(_needs_model)),
            _signed_mask(at, column.where(is_missing)),
        )

    def _comparison(self, node: ast.expr) -> Atom | None:
        negated = False
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node, negated = node.operand, not negated
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        operator, sides = node.ops[0], [node.left, node.comparators[0]]
        read = [sorted(positions(side)) for side in sides]
        if not all(len(each) == 1 for each in read) or read[0] == read[1] or _is_generator(sides):
            return None
        difference = isinstance(operator, ast.NotEq) or negated
        self._differences += difference
        if difference and self._differences > _MAX_DIFFERENCES:
            return None
        left, right = (_Side(each[0], self._column(rebase(side))) for each, side in zip(read, sides, strict=True))
        if isinstance(operator, ast.Eq | ast.NotEq):
            return self._equal(left, right, unequal=isinstance(operator, ast.NotEq) != negated)
        if isinstance(operator, _ORDERED):
            return _ordered(left, right, operator, negated)
        return None

    def _equal(self, left: "_Side", right: "_Side", *, unequal: bool) -> Atom:
        codes = self._equality.codes
        equal: Problem = (Equal(left.at, codes(left.column), right.at, codes(right.column)),)
        true: Signed = [(1, _decided(left, right)), (-1, equal)] if unequal else [(1, equal)]
        return Atom(true, *_failures(left, right))

    def _residual(self, node: ast.expr, exactly: bool) -> Atom:
        leaves: dict[tuple[int, str], Column] = {}

        def cell(unit: ast.expr, at: int) -> ast.expr:
            column = self._column(rebase(unit))
            leaves[at, column.name] = column
            return CompiledExpression(at, column.name)

        tree = with_units(node, cell)
        used = [(at, column) for (at, _), column in leaves.items()]
        residual = PythonPredicate(tree, used, self._answers, exactly=exactly)
        places = tuple(range(self._conversations))
        lacking = any(is_missing(value) for _, column in used for value in column.values)
        true, error, no_model, missing = (
            [(1, (Opaque(residual, places, outcome),))] for outcome in (TRUE, ERROR, NO_MODEL, MISSING)
        )
        return Atom([*true], [*error], [*no_model], [*missing] if lacking else [], residual)


@dataclass(frozen=True, eq=False, slots=True)
class _Side:
    """One side of a comparison: its position and column."""

    at: int
    column: Column


def _constant(node: ast.expr, answers: ModelAnswers, exactly: bool) -> Atom:
    value = evaluate(closure(node), EvaluationContext((), answers))
    always: Signed = [(1, ())]
    if _needs_model(value):
        return Atom(no_model=always)
    if _failed(value):
        return Atom(error=always)
    return Atom(true=always) if _holds(value, exactly) else Atom()


def _ordered(left: _Side, right: _Side, operator: ast.cmpop, negated: bool) -> Atom | None:
    """Return the atom of `left < right`: `>` swaps the sides, `<=` adds half a step to the larger rank."""
    if isinstance(operator, ast.Gt | ast.GtE):
        small, large = right, left
    else:
        small, large = left, right
    ranks = Ranks(small.column, large.column)
    if not ranks.possible:
        return None
    decided = small.column.decided, large.column.decided
    base = _decided(small, large)
    error, no_model, missing = _failures(left, right)
    comparable: Problem = ()
    if ranks.clash(*decided):
        kinds = np.maximum(ranks.left_kinds, NOTHING), np.maximum(ranks.right_kinds, NOTHING)
        comparable = (Equal(small.at, kinds[0], large.at, kinds[1]),)
        error = [*error, (1, base), (-1, (*base, *comparable))]
    strict = isinstance(operator, ast.Lt | ast.Gt)
    same = small.column.name if strict and small.column.name == large.column.name else ""
    less = Less(small.at, 2 * ranks.left, large.at, 2 * ranks.right + (not strict), same)
    numbers = (*_mask_problem(small.at, ranks.left >= 0), *_mask_problem(large.at, ranks.right >= 0))
    holds: Problem = (*numbers, *comparable, less)
    return Atom([(1, (*base, *comparable)), (-1, holds)] if negated else [(1, holds)], error, no_model, missing)


def _failures(left: _Side, right: _Side) -> tuple[Signed, Signed, Signed]:
    """Return failures on the left, and on the right where the left is decided."""
    fine = _mask_problem(left.at, left.column.decided)
    found = []
    for test in (_failed, _needs_model, is_missing):
        on_left, on_right = (
            _signed_mask(left.at, left.column.where(test)),
            _signed_mask(right.at, right.column.where(test)),
        )
        found.append(on_left + [(sign, (*fine, *problem)) for sign, problem in on_right])
    return found[0], found[1], found[2]


def _decided(left: _Side, right: _Side) -> Problem:
    return (*_mask_problem(left.at, left.column.decided), *_mask_problem(right.at, right.column.decided))


def _mask_problem(at: int, mask: Bools) -> Problem:
    return () if mask.all() else (Mask(at, mask),)


def _signed_mask(at: int, mask: Bools) -> Signed:
    return [(1, _mask_problem(at, mask))] if mask.any() else []


def _is_generator(sides: list[ast.expr]) -> bool:
    return any(isinstance(side, ast.GeneratorExp) for side in sides)


def _holds(value: object, exactly: bool) -> bool:
    return type(value) is not Failure and bool(value == True if exactly else value)  # noqa: E712


def _failed(value: object) -> bool:
    return isinstance(value, Failure) and not isinstance(value.error, NeedsModel | Missing)


def _needs_model(value: object) -> bool:
    return isinstance(value, Failure) and isinstance(value.error, NeedsModel)
