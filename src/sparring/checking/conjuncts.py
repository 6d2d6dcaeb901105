"""The parts of a condition that must all hold, in the order in which Python evaluates them."""

import ast


def conjuncts(node: ast.expr) -> list[ast.expr]:
    """`a and b`, `not (a or b)` and `a < b < c` taken apart; whether all hold is whether the whole holds."""
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
