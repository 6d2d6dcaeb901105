"""Names that a rule reads, so that faults of the user which touch them can excuse a violation."""

import ast
from collections.abc import Iterator

from sparring.core.audit import EVERYTHING
from sparring.core.checks import named_tools
from sparring.rules.evaluate.compiled_rule import CompiledRule
from sparring.rules.language.expressions import variables

_WHOLE = {"state", "state_before", "changed", "changes", "state_differences", "missing_slots", "data_collected"}
"""Functions whose result may depend on anything that the user said."""


def names_read(compiled: CompiledRule) -> tuple[str, ...]:
    """Return the variables, outputs, tools, goals and literal values in the conditions of a rule."""
    trees = [tree for clause, tree in compiled.trees.items() if clause != "yields"]
    return tuple(dict.fromkeys([*_tools(compiled), *(name for tree in trees for name in _names(tree))]))


def _tools(compiled: CompiledRule) -> Iterator[str]:
    for each in named_tools(compiled.rule):
        yield f"tool:{each.tool}"
        yield from each.arguments


def _names(tree: ast.expr) -> Iterator[str]:
    for _, _, name in variables(tree):
        yield name
        yield f"output:{name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _WHOLE:
                yield EVERYTHING
            elif node.func.id == "goal_answer" and node.args and isinstance(node.args[0], ast.Constant):
                yield f"goal:{node.args[0].value!r}"
        elif isinstance(node, ast.Constant) and type(node.value) in (str, int, float):
            yield f"value:{node.value!s}".casefold()
