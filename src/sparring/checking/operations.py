"""Operators as in Python, but refusing to make what would be too large."""

import ast
import operator
from collections.abc import Callable
from typing import Any

from sparring.checking.bounds import BITS, ITEMS, TEXT, bounded
from sparring.checking.undecided import LimitReached

Binary = Callable[[Any, Any], Any]


def _add(left: Any, right: Any) -> Any:
    if type(left) is str and type(right) is str and len(left) + len(right) > TEXT:
        raise LimitReached("+ makes too long a text")
    return bounded(left + right)


def _multiply(left: Any, right: Any) -> Any:
    for sequence, times in ((left, right), (right, left)):
        if type(times) in (int, bool) and type(sequence) in (str, bytes, list, tuple):
            most = TEXT if type(sequence) in (str, bytes) else ITEMS
            if len(sequence) * times > most:
                raise LimitReached("* makes too large a value")
    return bounded(left * right)


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > BITS:
        raise LimitReached("** makes too large a number")
    return bounded(left**right)


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str | bytes):
        raise TypeError("% on texts is not supported")
    return left % right


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: _add,
    ast.Sub: lambda left, right: bounded(left - right),
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
}
COMPARISONS: dict[type[ast.cmpop], Binary] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
