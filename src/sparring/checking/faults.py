"""What is wrong with the text of an expression, and where in it."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


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


def suggestion(name: str, known: Iterable[str]) -> str:
    """What was probably meant by `name`."""
    meant = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {meant[0]!r}?" if meant else ""
