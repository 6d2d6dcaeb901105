"""Queries on a syntax tree: its conversations, variables and conjuncts."""

import ast
from collections.abc import Iterator

from sparring.rules.functions.registry import lookup

Comprehension = (ast.GeneratorExp, ast.ListComp, ast.SetComp)


def index_of(node: ast.AST) -> ast.expr | None:
    """Return the index expression of `conv[...]`; None for any other node."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "conv":
        return node.slice
    return None


def position(node: ast.AST) -> int | None:
    """Return the i of `conv[i]`; None for any other node."""
    index = index_of(node)
    if isinstance(index, ast.Constant) and type(index.value) is int:
        return index.value
    return None


def loop_variables(target: ast.expr) -> set[str]:
    """Return the loop variables that `for target in ...` defines."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def variable(node: ast.AST, local: frozenset[str] = frozenset()) -> tuple[int, str] | None:
    """Return (position, name) if `node` is a variable: `price`, `conv[1].price`, `conv[1]['a price']`."""
    if isinstance(node, ast.Name) and node.id not in local:
        return 0, node.id
    owner = node.value if isinstance(node, ast.Attribute | ast.Subscript) else None
    where = position(owner) if owner is not None else None
    if where is None:
        return None
    if isinstance(node, ast.Attribute):
        return where, node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    return (where, key.value) if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def conversation_index(call: ast.Call) -> int | None:
    """Return the conversation a function reads: the i of a first argument `conv[i]`, else 0.

    None if the call does not read a conversation.
    """
    function = lookup(call.func.id) if isinstance(call.func, ast.Name) else None
    if isinstance(call.func, ast.Name) and call.func.id == "hasattr" and call.args:
        return position(call.args[0])
    if function is None or not function.of_conversation:
        return None
    named = position(call.args[0]) if call.args else None
    return 0 if named is None else named


def uses_model(node: ast.expr) -> bool:
    """Return True if evaluating the expression may ask a language model."""
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    called = (lookup(name.id) for name in calls if isinstance(name, ast.Name))
    return any(function is not None and function.asks for function in called)


def arguments(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a function without a leading `conv[i]` that selects the conversation."""
    written = [*call.args, *(keyword.value for keyword in call.keywords)]
    return written[1:] if written and position(written[0]) is not None else written


def parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the direct sub-expressions, without function names, `conv[i]` and loop variables."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        yield from () if _is_hasattr(node) else arguments(node)
    elif isinstance(node, Comprehension):
        for loop in node.generators:
            yield from (loop.iter, *loop.ifs)
        yield node.elt
    elif variable(node) is None:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _is_hasattr(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "hasattr"


def variables(node: ast.expr, local: frozenset[str] = frozenset()) -> Iterator[tuple[ast.expr, int, str]]:
    """Yield every variable that is read: its node, its position and its name."""
    found = variable(node, local)
    if found is not None:
        yield node, *found
        return
    for part, inner in scoped_parts(node, local):
        yield from variables(part, inner)


def scoped_parts(node: ast.expr, local: frozenset[str]) -> Iterator[tuple[ast.expr, frozenset[str]]]:
    """Yield the direct sub-expressions, each with the loop variables in scope."""
    if not isinstance(node, Comprehension):
        yield from ((part, local) for part in parts(node))
        return
    for loop in node.generators:
        yield loop.iter, local
        local = local | loop_variables(loop.target)
        yield from ((condition, local) for condition in loop.ifs)
    yield node.elt, local


def conjuncts(node: ast.expr) -> list[ast.expr]:
    """Split `a and b`, `not (a or b)` and `a < b < c` into conditions that must all hold."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in conjuncts(value)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = node.operand
        if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or):
            return [part for value in inner.values for part in conjuncts(_negated(value))]
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        return [_comparison(sides[at], op, sides[at + 1]) for at, op in enumerate(node.ops)]
    return [node]


def _negated(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _comparison(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Compare(left, [operator], [right]), left)
