"""f-strings, which only messages may use; formatted by us, so that no value's own methods run."""

import ast
from collections.abc import Callable
from typing import Any

from sparring.checking.library.ordering import repr_of, shown
from sparring.checking.scene import Scene, Term

LENGTH = 2000
_NUMBERS = (int, float, bool)


def message(node: ast.JoinedStr, make: Callable[[ast.expr], Term]) -> Term:
    """The text with every field filled in."""
    parts = [_part(part, make) for part in node.values]

    def text(scene: Scene) -> str:
        return "".join([part(scene) for part in parts])[:LENGTH]

    return text


def _part(node: ast.expr, make: Callable[[ast.expr], Term]) -> Callable[[Scene], str]:
    if isinstance(node, ast.Constant):
        written = str(node.value)
        return lambda scene: written
    assert isinstance(node, ast.FormattedValue), "the parser puts nothing else into an f-string"
    value, as_repr = make(node.value), node.conversion == ord("r")
    spec = node.format_spec
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    form = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    return lambda scene: _formatted(value(scene), as_repr, form)


def _formatted(value: Any, as_repr: bool, form: str) -> str:
    if type(value) in _NUMBERS and not as_repr:
        return format(value, form)
    return format((repr_of(value) if as_repr else shown(value))[:LENGTH], form)
