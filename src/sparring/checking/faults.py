"""What is wrong with the text of an expression, and where in it."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake; `line` and `column` count from 0 in the text of the expression."""

    message: str
    line: int = 0
    column: int = 0
    hint: str = ""


class Refused(Exception):
    """An expression that cannot be used, with everything that is wrong with it."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = faults


def at(node: ast.AST, message: str, hint: str = "") -> Fault:
    """A fault at the place of `node`, whose line and column are already those of the text."""
    return Fault(message, getattr(node, "lineno", 0), getattr(node, "col_offset", 0), hint)
