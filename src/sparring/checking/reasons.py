"""Why a rule was violated, in words: the author's own, or the condition that failed and the values it saw."""

import ast

from sparring.checking.closures import closure
from sparring.checking.compiled import Compiled
from sparring.checking.conjuncts import conjuncts
from sparring.checking.library.ordering import repr_of, shown
from sparring.checking.scene import Failure, Scene, evaluate
from sparring.checking.tree import variables

LENGTH = 300


def violation(compiled: Compiled, scene: Scene) -> str:
    """Why the conversations in the scene violate the rule."""
    if "yields" in compiled.trees:
        said = evaluate(compiled.term("yields"), scene)
        if not isinstance(said, Failure) and said not in (None, ""):
            return short(shown(said))
    value = evaluate(compiled.term("then"), scene)
    if value and not isinstance(value, bool | int | float | Failure):
        return short(shown(value))
    return short(_failed(compiled.trees["then"], scene))


def _failed(tree: ast.expr, scene: Scene) -> str:
    parts = conjuncts(tree)
    part = next((part for part in parts if not evaluate(closure(part), scene)), parts[-1])
    inner = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) else part
    sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else [inner]
    seen = [f"{written(side)} is {_value(side, scene)}" for side in sides if any(variables(side)) or _calls(side)]
    return f"expected {written(part)}" + (f", but {' and '.join(seen)}" if seen else "")


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _value(node: ast.expr, scene: Scene) -> str:
    value = evaluate(closure(node), scene)
    return "undecided" if isinstance(value, Failure) else short(repr_of(value), 80)


def written(node: ast.expr) -> str:
    """An expression as an author would write it."""
    return ast.unparse(node)


def short(text: str, length: int = LENGTH) -> str:
    """The text, cut where it becomes too long to be read."""
    return text if len(text) <= length else text[: length - 1] + "…"
