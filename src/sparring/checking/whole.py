"""Rules over all conversations: what stands inside an aggregate is a column, the rest is arithmetic over aggregates."""

import ast
from dataclasses import replace

from sparring.checking.faults import Fault, Refused
from sparring.checking.library.aggregates import AGGREGATES
from sparring.checking.syntax import parse

_ALSO_FUNCTIONS = {"min", "max", "sum"}


def aggregate_call(node: ast.AST) -> str | None:
    """The name of the aggregate that `node` calls; min, max and sum of a list or of several things are plain."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in AGGREGATES:
        return None
    name = node.func.id
    if name in _ALSO_FUNCTIONS and (len(node.args) != 1 or not _is_one_value(node.args[0])):
        return None
    return name


def _is_one_value(node: ast.expr) -> bool:
    plural = (ast.List, ast.Tuple, ast.Set, ast.GeneratorExp, ast.ListComp, ast.SetComp)
    return not isinstance(node, plural) and not any(aggregate_call(inner) for inner in ast.walk(node))


def spelled_out(tree: ast.expr) -> ast.expr:
    """The tree with `exists('cost > 50')` turned into `exists(cost > 50)`: both mean the same."""
    for node in ast.walk(tree):
        if aggregate_call(node) and isinstance(node, ast.Call) and node.args:
            quoted = node.args[0]
            if isinstance(quoted, ast.Constant) and isinstance(quoted.value, str):
                node.args[0] = _unquoted(quoted, quoted.value)
    return tree


def _unquoted(quoted: ast.Constant, text: str) -> ast.expr:
    try:
        inner = parse(text)
    except Refused as error:
        raise Refused(*(_moved_to(fault, quoted) for fault in error.faults)) from None
    for node in ast.walk(inner):
        if isinstance(node, ast.expr | ast.keyword):
            node.lineno, node.col_offset = quoted.lineno, quoted.col_offset
    return inner


def _moved_to(fault: Fault, quoted: ast.Constant) -> Fault:
    return replace(fault, line=quoted.lineno, column=quoted.col_offset)
