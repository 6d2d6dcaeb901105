"""A checked syntax tree to a closure that evaluates it. Nothing is compiled or executed as Python."""

import ast
from collections.abc import Callable
from typing import Any

from sparring.checking.bounds import bounded, cost
from sparring.checking.calls import call
from sparring.checking.loops import loop
from sparring.checking.messages import message
from sparring.checking.operations import BINARY, COMPARISONS, UNARY, Binary
from sparring.checking.scene import Scene, Term
from sparring.checking.tree import Comprehension, variable
from sparring.checking.undecided import Failure, Missing

_SIZED = (str, list, tuple, set, dict)


class Cell(ast.expr):
    """A leaf that a planner puts in place of a sub-expression: its value is in the scene, worked out beforehand."""

    _fields = ()

    def __init__(self, position: int, column: str) -> None:
        super().__init__()
        self.position = position
        self.column = column


def closure(node: ast.expr, local: frozenset[str] = frozenset()) -> Term:
    """A function that evaluates `node`; `local` are the loop variables around it."""
    if isinstance(node, Cell):
        return _cell(node)
    found = variable(node, local)
    if found is not None:
        return _variable(*found)
    if isinstance(node, ast.Name):
        return _loop_variable(node.id)
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.Call):
        return call(node, lambda inner: closure(inner, local))
    if isinstance(node, Comprehension):
        return loop(node, closure, local)
    if isinstance(node, ast.JoinedStr):
        return message(node, lambda inner: closure(inner, local))
    return _MAKERS[type(node)](node, lambda inner: closure(inner, local))


def _cell(node: Cell) -> Term:
    key = (node.position, node.column)

    def read(scene: Scene) -> Any:
        value = scene.cells[key]
        if type(value) is Failure:
            raise value.error
        return value

    return read


def _variable(position: int, name: str) -> Term:
    def read(scene: Scene) -> Any:
        recording = scene.recordings[position]
        try:
            return recording.names[name]
        except KeyError:
            return recording.value(name)

    return read


def _loop_variable(name: str) -> Term:
    def read(scene: Scene) -> Any:
        if name not in scene.local:
            raise Missing(f"{name!r} has no value yet")
        return scene.local[name]

    return read


def _constant(value: Any) -> Term:
    return lambda scene: value


Make = Callable[[ast.expr], Term]


def _bool(node: ast.BoolOp, make: Make) -> Term:
    *first, last = map(make, node.values)
    stops = bool if isinstance(node.op, ast.Or) else lambda value: not value

    def evaluate(scene: Scene) -> Any:
        for term in first:
            value = term(scene)
            if stops(value):
                return value
        return last(scene)

    return evaluate


def _unary(node: ast.UnaryOp, make: Make) -> Term:
    operation, operand = UNARY[type(node.op)], make(node.operand)
    return lambda scene: operation(operand(scene))


def _binary(node: ast.BinOp, make: Make) -> Term:
    operation, left, right = BINARY[type(node.op)], make(node.left), make(node.right)

    def evaluate(scene: Scene) -> Any:
        value = operation(left(scene), right(scene))
        if type(value) in _SIZED:
            scene.burn(cost(value))
        return value

    return evaluate


def _compare(node: ast.Compare, make: Make) -> Term:
    first = make(node.left)
    rest = [(COMPARISONS[type(op)], make(right)) for op, right in zip(node.ops, node.comparators, strict=True)]
    if len(rest) == 1:
        compare, second = rest[0]
        return lambda scene: _compared(compare, first(scene), second(scene), scene)

    def evaluate(scene: Scene) -> Any:
        left, value = first(scene), True
        for operation, term in rest:
            right = term(scene)
            value = _compared(operation, left, right, scene)
            if not value:
                break
            left = right
        return value

    return evaluate


def _compared(operation: Binary, left: Any, right: Any, scene: Scene) -> Any:
    """The comparison, with the steps of walking through what is large: `in` walks through the right, most the left."""
    if type(right) in _SIZED:
        scene.burn(cost(right))
    if type(left) in _SIZED:
        scene.burn(cost(left))
    return operation(left, right)


def _if(node: ast.IfExp, make: Make) -> Term:
    test, then, otherwise = make(node.test), make(node.body), make(node.orelse)
    return lambda scene: then(scene) if test(scene) else otherwise(scene)


def _subscript(node: ast.Subscript, make: Make) -> Term:
    owner = make(node.value)
    if isinstance(node.slice, ast.Slice):
        ends = [make(end) if end else _constant(None) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
        return lambda scene: _sliced(owner(scene), slice(*[end(scene) for end in ends]), scene)
    key = make(node.slice)
    return lambda scene: owner(scene)[key(scene)]


def _sliced(owner: Any, part: slice, scene: Scene) -> Any:
    value = owner[part]
    scene.burn(cost(value))
    return value


def _display(kind: Callable[[list[Any]], Any]) -> Callable[[Any, Make], Term]:
    def of(node: ast.List | ast.Tuple | ast.Set, make: Make) -> Term:
        terms = [make(item) for item in node.elts]
        if all(isinstance(item, ast.Constant) for item in node.elts):
            return _ready(kind, terms)
        return lambda scene: bounded(kind([term(scene) for term in terms]))

    return of


def _ready(kind: Callable[[list[Any]], Any], terms: list[Term]) -> Term:
    """A list of constants is made once; no rule can change it."""
    value = kind([term(Scene()) for term in terms])
    return lambda scene: value


def _dict(node: ast.Dict, make: Make) -> Term:
    items = [(make(key), make(value)) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
    return lambda scene: bounded({key(scene): value(scene) for key, value in items})


_MAKERS: dict[type[ast.expr], Callable[[Any, Make], Term]] = {
    ast.BoolOp: _bool,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.IfExp: _if,
    ast.Subscript: _subscript,
    ast.List: _display(list),
    ast.Tuple: _display(tuple),
    ast.Set: _display(set),
    ast.Dict: _dict,
}
