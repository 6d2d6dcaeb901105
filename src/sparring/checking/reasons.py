"""Why a rule was violated, in words: the author's own, or the condition that failed and the values it saw."""

import ast
from collections.abc import Callable
from typing import Any

from sparring.checking.compiled import Compiled
from sparring.checking.conjuncts import conjuncts
from sparring.checking.library.ordering import repr_of, shown
from sparring.checking.tree import variables
from sparring.checking.undecided import Failure

LENGTH = 300


Valued = Callable[[ast.expr], Any]
"""The value that an expression has for the conversations in question, or a Failure."""


def violation(compiled: Compiled, valued: Valued) -> str:
    """Why some conversations violate the rule."""
    if "yields" in compiled.trees:
        said = valued(compiled.trees["yields"])
        if not isinstance(said, Failure) and said not in (None, ""):
            return short(shown(said))
    value = valued(compiled.trees["then"])
    if value and not isinstance(value, bool | int | float | Failure):
        return short(shown(value))
    return short(_failed(compiled.trees["then"], valued))


def _failed(tree: ast.expr, valued: Valued) -> str:
    parts = conjuncts(tree)
    part = next((part for part in parts if not valued(part)), parts[-1])
    inner = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) else part
    sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else [inner]
    values = [(side, valued(side)) for side in sides if any(variables(side)) or _calls(side)]
    seen = [f"{written(side)} is {short(repr_of(value), 80)}" for side, value in values if type(value) is not Failure]
    return f"expected {written(part)}" + (f", but {' and '.join(seen)}" if seen else "")


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def written(node: ast.expr) -> str:
    """An expression as an author would write it."""
    return ast.unparse(node)


def short(text: str, length: int = LENGTH) -> str:
    """The text, cut where it becomes too long to be read."""
    return text if len(text) <= length else text[: length - 1] + "…"
