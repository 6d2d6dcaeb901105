"""Indexes of variables that are texts: `size[0]` is a letter, not an item.

In SENSEI's profiles many variables are lists of one value, in scenario files they are plain values.
"""

import ast
from collections.abc import Iterator, Set
from functools import lru_cache

from sparring.core.errors import Problem
from sparring.rules.evaluate.compiled_rule import CompiledRule, clause_problem
from sparring.rules.language.expressions import scoped_parts, variable
from sparring.rules.language.parser import at


def indexed_texts(compiled: CompiledRule, texts: Set[str]) -> Iterator[Problem]:
    """Yield a problem for each index of a variable that is among `texts`."""
    for clause, tree in compiled.trees.items():
        for node, name in _indexes_in(tree):
            if name in texts:
                written = ast.unparse(node)
                message = f"{name!r} is a text in the scenario, so {written} is only one of its letters"
                hint = f"write {ast.unparse(node.value)}; in profiles of SENSEI, it would be a list"
                yield clause_problem(compiled.rule, clause, at(node, message, hint))


@lru_cache(maxsize=1024)  # trees are shared, and looked at with every conversation
def _indexes_in(tree: ast.expr) -> tuple[tuple[ast.Subscript, str], ...]:
    return tuple(_indexed(tree, frozenset()))


def _indexed(node: ast.expr, local: frozenset[str]) -> Iterator[tuple[ast.Subscript, str]]:
    """Yield each variable with a number in brackets behind it."""
    if isinstance(node, ast.Subscript) and _is_number(node.slice):
        found = variable(node.value, local)
        if found is not None:
            yield node, found[1]
    for part, inner in scoped_parts(node, local):
        yield from _indexed(part, inner)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int
