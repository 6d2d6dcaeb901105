"""Compiler from a checked syntax tree to closures. Nothing is compiled or executed as Python.

f-strings are formatted here, so that no method of a value runs. Comprehensions have at most two loops.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sparring.rules.evaluate.calls import BINARY, COMPARISONS, UNARY, Binary, EvaluationContext, Term, call
from sparring.rules.functions.collections import ordered, repr_of, str_of
from sparring.rules.language.expressions import Comprehension, loop_variables, variable
from sparring.rules.limits import bounded, cost
from sparring.rules.undecided import Failure, Undecided

MAX_MESSAGE = 2000
_NUMBERS = (int, float, bool)


def message(node: ast.JoinedStr, make: Callable[[ast.expr], Term]) -> Term:
    """Compile an f-string, which only messages may contain."""
    parts = [_part(part, make) for part in node.values]

    def text(context: EvaluationContext) -> str:
        return "".join([part(context) for part in parts])[:MAX_MESSAGE]

    return text


def _part(node: ast.expr, make: Callable[[ast.expr], Term]) -> Callable[[EvaluationContext], str]:
    if isinstance(node, ast.Constant):
        written = str(node.value)
        return lambda context: written
    assert isinstance(node, ast.FormattedValue), "the parser puts nothing else into an f-string"
    value, as_repr = make(node.value), node.conversion == ord("r")
    spec = node.format_spec
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    form = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    return lambda context: _format(value(context), as_repr, form)


def _format(value: Any, as_repr: bool, form: str) -> str:
    if type(value) in _NUMBERS and not as_repr:
        return format(value, form)
    return format((repr_of(value) if as_repr else str_of(value))[:MAX_MESSAGE], form)


Closure = Callable[[ast.expr, frozenset[str]], Term]
_STEPS_PER_ROUND = 5


@dataclass(frozen=True, slots=True)
class _Loop:
    names: tuple[str, ...]
    unpacks: bool
    items: Term
    conditions: list[Term]


def loop(node: ast.GeneratorExp | ast.ListComp | ast.SetComp, closure: Closure, local: frozenset[str]) -> Term:
    """Compile a comprehension to a list or set, or to a generator that `all(...)` may stop early."""
    loops = []
    for written in node.generators:
        items = closure(written.iter, local)
        local = local | loop_variables(written.target)
        unpacks = isinstance(written.target, ast.Tuple)
        targets = written.target.elts if isinstance(written.target, ast.Tuple) else [written.target]
        names = tuple(target.id for target in targets if isinstance(target, ast.Name))
        loops.append(_Loop(names, unpacks, items, [closure(condition, local) for condition in written.ifs]))
    element = closure(node.elt, local)
    if isinstance(node, ast.GeneratorExp):
        return lambda context: _in_own_scope(context, loops, element)
    kind = list if isinstance(node, ast.ListComp) else set
    return lambda context: bounded(kind(_in_own_scope(context, loops, element)))


def _in_own_scope(context: EvaluationContext, loops: list[_Loop], element: Term) -> Iterator[Any]:
    outer = context.local
    inner = dict(outer)
    rounds = _rounds(context, inner, loops, element)
    while True:
        context.local = inner
        try:
            value = next(rounds)
        except StopIteration:
            return
        finally:
            context.local = outer
        yield value


def _rounds(context: EvaluationContext, local: dict[str, Any], loops: list[_Loop], element: Term) -> Iterator[Any]:
    first, *rest = loops
    for item in ordered(first.items(context)):
        context.consume_steps(_STEPS_PER_ROUND)
        values = list(item) if first.unpacks else [item]
        if len(values) != len(first.names):
            raise ValueError(f"cannot take {len(values)} values apart into {len(first.names)}")
        local.update(zip(first.names, values, strict=True))
        if all(condition(context) for condition in first.conditions):
            if rest:
                yield from _rounds(context, local, rest, element)
            else:
                yield element(context)


_SIZED = (str, list, tuple, set, dict)


class CompiledExpression(ast.expr):
    """A leaf that stands for a sub-expression; its precomputed value is read from the context's cells."""

    _fields = ()

    def __init__(self, position: int, column: str) -> None:
        super().__init__()
        self.position = position
        self.column = column


def closure(node: ast.expr, local: frozenset[str] = frozenset()) -> Term:
    """Compile `node` to a function of the context. `local` holds the loop variables around it."""
    if isinstance(node, CompiledExpression):
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


def _cell(node: CompiledExpression) -> Term:
    key = (node.position, node.column)

    def read(context: EvaluationContext) -> Any:
        value = context.cells[key]
        if type(value) is Failure:
            raise value.error
        return value

    return read


def _variable(position: int, name: str) -> Term:
    def read(context: EvaluationContext) -> Any:
        recording = context.recordings[position]
        try:
            return recording.names[name]
        except KeyError:
            return recording.value(name)

    return read


def _loop_variable(name: str) -> Term:
    def read(context: EvaluationContext) -> Any:
        if name not in context.local:
            raise Undecided(f"{name!r} has no value yet")
        return context.local[name]

    return read


def _constant(value: Any) -> Term:
    return lambda context: value


Make = Callable[[ast.expr], Term]


def _bool(node: ast.BoolOp, make: Make) -> Term:
    *first, last = map(make, node.values)
    stops = bool if isinstance(node.op, ast.Or) else lambda value: not value

    def evaluate(context: EvaluationContext) -> Any:
        for term in first:
            value = term(context)
            if stops(value):
                return value
        return last(context)

    return evaluate


def _unary(node: ast.UnaryOp, make: Make) -> Term:
    operation, operand = UNARY[type(node.op)], make(node.operand)
    return lambda context: operation(operand(context))


def _binary(node: ast.BinOp, make: Make) -> Term:
    operation, left, right = BINARY[type(node.op)], make(node.left), make(node.right)

    def evaluate(context: EvaluationContext) -> Any:
        value = operation(left(context), right(context))
        if type(value) in _SIZED:
            context.consume_steps(cost(value))
        return value

    return evaluate


def _compare(node: ast.Compare, make: Make) -> Term:
    first = make(node.left)
    rest = [(COMPARISONS[type(op)], make(right)) for op, right in zip(node.ops, node.comparators, strict=True)]
    if len(rest) == 1:
        compare, second = rest[0]
        return lambda context: _compare_values(compare, first(context), second(context), context)

    def evaluate(context: EvaluationContext) -> Any:
        left, value = first(context), True
        for operation, term in rest:
            right = term(context)
            value = _compare_values(operation, left, right, context)
            if not value:
                break
            left = right
        return value

    return evaluate


def _compare_values(operation: Binary, left: Any, right: Any, context: EvaluationContext) -> Any:
    """Compare two values, and count the steps of walking through large ones."""
    if type(right) in _SIZED:
        context.consume_steps(cost(right))
    if type(left) in _SIZED:
        context.consume_steps(cost(left))
    return operation(left, right)


def _if(node: ast.IfExp, make: Make) -> Term:
    test, then, otherwise = make(node.test), make(node.body), make(node.orelse)
    return lambda context: then(context) if test(context) else otherwise(context)


def _subscript(node: ast.Subscript, make: Make) -> Term:
    owner = make(node.value)
    if isinstance(node.slice, ast.Slice):
        ends = [make(end) if end else _constant(None) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
        return lambda context: _slice(owner(context), slice(*[end(context) for end in ends]), context)
    key = make(node.slice)
    return lambda context: owner(context)[key(context)]


def _attribute(node: ast.Attribute, make: Make) -> Term:
    owner, name = make(node.value), node.attr

    def read(context: EvaluationContext) -> Any:
        value = owner(context)
        if type(value) is not dict:
            raise TypeError(f"{type(value).__name__!r} has no field {name!r}")
        return value[name]

    return read


def _slice(owner: Any, part: slice, context: EvaluationContext) -> Any:
    value = owner[part]
    context.consume_steps(cost(value))
    return value


def _display(kind: Callable[[list[Any]], Any]) -> Callable[[Any, Make], Term]:
    def of(node: ast.List | ast.Tuple | ast.Set, make: Make) -> Term:
        terms = [make(item) for item in node.elts]
        if all(isinstance(item, ast.Constant) for item in node.elts):
            return _constant_display(kind, terms)
        return lambda context: bounded(kind([term(context) for term in terms]))

    return of


def _constant_display(kind: Callable[[list[Any]], Any], terms: list[Term]) -> Term:
    """Build a list of constants once; rules cannot modify it."""
    value = kind([term(EvaluationContext()) for term in terms])
    return lambda context: value


def _dict(node: ast.Dict, make: Make) -> Term:
    items = [(make(key), make(value)) for key, value in zip(node.keys, node.values, strict=True) if key is not None]
    return lambda context: bounded({key(context): value(context) for key, value in items})


_MAKERS: dict[type[ast.expr], Callable[[Any, Make], Term]] = {
    ast.BoolOp: _bool,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.IfExp: _if,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.List: _display(list),
    ast.Tuple: _display(tuple),
    ast.Set: _display(set),
    ast.Dict: _dict,
}
