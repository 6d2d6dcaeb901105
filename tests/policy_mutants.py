"""Bugs planted in a policy by a generator: every comparison flipped, every check left out, every number off by one."""

import ast
import copy
from collections.abc import Iterator

FLIPPED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


def mutants(source: str, functions: tuple[str, ...], constants: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield a description and the source of each mutant of these functions and of numbers with these names."""
    tree = ast.parse(source)
    for at, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in constants:
            for step in (-1, 1):
                yield _changed(tree, at, f"{ast.unparse(node)} {step:+d}", lambda made, step=step: _step(made, step))
    own = {id(inner) for node in ast.walk(tree) if getattr(node, "name", "") in functions for inner in ast.walk(node)}
    for at, node in enumerate(ast.walk(tree)):
        if id(node) not in own:
            continue
        if isinstance(node, ast.Compare):
            for number, operator in enumerate(node.ops):
                for other in FLIPPED[type(operator)]:
                    about = f"line {node.lineno}: {ast.unparse(node)} with {other.__name__}"
                    yield _changed(tree, at, about, lambda made, n=number, o=other: made.ops.__setitem__(n, o()))
        if isinstance(node, ast.If):
            about = f"line {node.lineno}: without if {ast.unparse(node.test)}"
            yield _changed(tree, at, about, lambda made: setattr(made, "test", ast.Constant(False)))
        if isinstance(node, ast.BoolOp):
            for number, value in enumerate(node.values):
                about = f"line {node.lineno}: without {ast.unparse(value)}"
                yield _changed(tree, at, about, lambda made, n=number: made.values.pop(n))


def _step(made: ast.Assign, step: int) -> None:
    made.value = ast.Constant(ast.literal_eval(made.value) + step)


def _changed(tree: ast.Module, at: int, about: str, change) -> tuple[str, str]:
    made = copy.deepcopy(tree)
    change(list(ast.walk(made))[at])
    return about, ast.unparse(ast.fix_missing_locations(made))
