"""The tools of which a rule says that they are not used."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.core.rule import Rule


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A tool that is not to be used, or not with these arguments."""

    tool: str
    arguments: tuple[str, ...] = ()


def tools_ruled_out(rule: Rule) -> tuple[RuledOut, ...]:
    """Those that are written out: `not called('refund')`, `not_called('refund', order_id=7)`, `calls('refund') == 0`.

    A misspelt one is never used either, so whoever knows the tools has to look.
    """
    try:
        return tuple(dict.fromkeys(_named(ast.parse(rule.then.strip(), mode="eval"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _named(tree: ast.AST) -> Iterator[RuledOut]:
    for node in ast.walk(tree):
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="called")) as call):
                yield from _asked(call)
            case ast.Call(func=ast.Name(id="not_called")) as call:
                yield from _asked(call)
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="calls")) as call, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]
            ):
                yield from _asked(call)


def _asked(call: ast.Call) -> Iterator[RuledOut]:
    match call.args:
        case [ast.Constant(value=str(tool)), ast.Dict(keys=keys), *_]:
            names = [key.value for key in keys if isinstance(key, ast.Constant)]
            yield RuledOut(tool, tuple([name for name in names if isinstance(name, str)]))
        case [ast.Constant(value=str(tool)), *_]:
            yield RuledOut(tool, tuple([each.arg for each in call.keywords if each.arg]))
