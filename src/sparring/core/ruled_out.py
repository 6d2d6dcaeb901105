"""The tools of which a rule says that they are not used."""

import ast
from collections.abc import Iterator

from sparring.core.rule import Rule


def tools_ruled_out(rule: Rule) -> tuple[str, ...]:
    """Their names, as far as they are written out: `not called('refund')`, `not_called('refund')`,
    `calls('refund') == 0`. A misspelt one is never used either, so whoever knows the tools has to look."""
    try:
        return tuple(dict.fromkeys(_named(ast.parse(rule.then.strip(), mode="eval"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _named(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.UnaryOp(
                op=ast.Not(), operand=ast.Call(func=ast.Name(id="called"), args=[ast.Constant(value=str(name)), *_])
            ):
                yield name
            case ast.Call(func=ast.Name(id="not_called"), args=[ast.Constant(value=str(name)), *_]):
                yield name
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="calls"), args=[ast.Constant(value=str(name)), *_]),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=0)],
            ):
                yield name
