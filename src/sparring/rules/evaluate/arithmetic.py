"""Vectorized arithmetic over plain numbers of many tuples, with the same results as Python.

Python floats are float64, like NumPy's. Integers are vectorized only while no result can reach 2**53, so that float64
represents each of them exactly. Division is excluded, so nothing can fail.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparring.rules.evaluate.columns import Bools, Column, Ints
from sparring.rules.evaluate.compiler import CompiledExpression

_EXACT = 2**53
Floats = npt.NDArray[np.float64]
Given = dict[tuple[int, str], Floats]
Compute = Callable[[Given], Any]
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}


class _NotArithmetic(Exception):
    """The expression is not plain arithmetic, or its numbers are too large."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A sub-expression: vectorized computation, largest possible integer, and True for truth values."""

    compute: Compute
    largest: int
    truth: bool


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Plain numbers of a column, with a mask of the conversations that have one."""

    plain: Bools
    values: Floats


class Arithmetic:
    """A condition that can be vectorized for tuples whose values are all plain numbers."""

    def __init__(self, compute: Compute, leaves: dict[tuple[int, str], _Numbers]) -> None:
        self._compute = compute
        self._leaves = leaves

    def over(self, rows: dict[int, Ints]) -> tuple[Bools, Any]:
        """Return a mask of the tuples it can decide, and the values for these."""
        size = len(next(iter(rows.values())))
        plain = np.ones(size, np.bool_)
        for (at, _), numbers in self._leaves.items():
            plain &= numbers.plain[rows[at]]
        given = {key: numbers.values[rows[key[0]][plain]] for key, numbers in self._leaves.items()}
        with np.errstate(all="ignore"):
            values = np.asarray(self._compute(given))
        return plain, np.broadcast_to(values, (int(plain.sum()),))


def vectorize(tree: ast.expr, leaves: list[tuple[int, Column]]) -> Arithmetic | None:
    """Return the condition as vectorized arithmetic, or None if it is anything else."""
    numbers = {(at, column.name): _numbers(column) for at, column in leaves}
    largest = {(at, column.name): _largest(column) for at, column in leaves}
    try:
        return Arithmetic(_part(tree, largest).compute, numbers)
    except _NotArithmetic:
        return None


def _plain(value: Any) -> bool:
    return type(value) is float or (type(value) in (int, bool) and -_EXACT < value < _EXACT)


def _numbers(column: Column) -> _Numbers:
    table = np.fromiter((value if _plain(value) else 0.0 for value in column.values), np.float64, len(column.values))
    values = table[column.codes] if len(table) else np.zeros(len(column.codes))
    return _Numbers(column.where(_plain), values)


def _largest(column: Column) -> int:
    return max((abs(int(value)) for value in column.values if _plain(value) and type(value) is not float), default=0)


def _part(node: ast.expr, largest: dict[tuple[int, str], int]) -> _Term:
    if isinstance(node, CompiledExpression):
        key = (node.position, node.column)
        return _Term(lambda given: given[key], _require_exact(largest[key]), False)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number = node.value
        assert isinstance(number, int | float)
        value = float(number) if type(number) is float or abs(number) < _EXACT else 0.0
        return _Term(lambda given: value, _require_exact(abs(int(number))) if type(number) is int else 0, False)
    if isinstance(node, ast.UnaryOp):
        return _unary(node, largest)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return _binary(node, largest)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs" and len(node.args) == 1:
        inner = _number(node.args[0], largest)
        return _Term(lambda given: np.abs(inner.compute(given)), inner.largest, False)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        compare, left, right = _COMPARISONS[type(node.ops[0])], *_both(node.left, node.comparators[0], largest)
        return _Term(lambda given: compare(left.compute(given), right.compute(given)), 0, True)
    if isinstance(node, ast.BoolOp):
        return _bool(node, largest)
    raise _NotArithmetic


def _unary(node: ast.UnaryOp, largest: dict[tuple[int, str], int]) -> _Term:
    inner = _part(node.operand, largest)
    if isinstance(node.op, ast.USub) and not inner.truth:
        return _Term(lambda given: np.negative(inner.compute(given)), inner.largest, False)
    if isinstance(node.op, ast.Not) and inner.truth:
        return _Term(lambda given: np.logical_not(inner.compute(given)), 0, True)
    raise _NotArithmetic


def _binary(node: ast.BinOp, largest: dict[tuple[int, str], int]) -> _Term:
    operation, left, right = _ARITHMETIC[type(node.op)], *_both(node.left, node.right, largest)
    times = isinstance(node.op, ast.Mult)
    most = left.largest * right.largest if times else left.largest + right.largest
    return _Term(lambda given: operation(left.compute(given), right.compute(given)), _require_exact(most), False)


def _bool(node: ast.BoolOp, largest: dict[tuple[int, str], int]) -> _Term:
    parts = [_part(value, largest) for value in node.values]
    if not all(part.truth for part in parts):
        raise _NotArithmetic
    both = np.logical_and if isinstance(node.op, ast.And) else np.logical_or

    def compute(given: Given) -> Any:
        value = parts[0].compute(given)
        for part in parts[1:]:
            value = both(value, part.compute(given))
        return value

    return _Term(compute, 0, True)


def _both(left: ast.expr, right: ast.expr, largest: dict[tuple[int, str], int]) -> tuple[_Term, _Term]:
    return _number(left, largest), _number(right, largest)


def _number(node: ast.expr, largest: dict[tuple[int, str], int]) -> _Term:
    part = _part(node, largest)
    if part.truth:
        raise _NotArithmetic
    return part


def _require_exact(largest: int) -> int:
    if largest >= _EXACT:
        raise _NotArithmetic
    return largest
