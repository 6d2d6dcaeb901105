"""Parser: text to a syntax tree of allowed nodes, and syntax problems with their positions.

Python's own parser builds the tree; nothing is executed. Semantics are checked elsewhere.
"""

import ast
import io
import re
import tokenize
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sparring.core.errors import Problem


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A problem in an expression. `line` and `column` count from 0 in its text."""

    message: str
    line: int = 0
    column: int = 0
    hint: str = ""


class RuleRejected(Exception):
    """An expression that cannot be used, with all its problems."""

    def __init__(self, *faults: SyntaxProblem) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = faults


def at(node: ast.AST, message: str, hint: str = "") -> SyntaxProblem:
    """Return a problem at the position of `node`."""
    return SyntaxProblem(message, getattr(node, "lineno", 0), getattr(node, "col_offset", 0), hint)


MAX_LENGTH, MAX_NODES, MAX_DEPTH = 4000, 500, 50

_ALLOWED = (
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Is, ast.IsNot),
    *(ast.IfExp, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Call, ast.keyword),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.comprehension),
)
_IN_MESSAGES = (ast.JoinedStr, ast.FormattedValue)
_MESSAGES = {
    "Lambda": "'lambda' is not allowed in a rule",
    "NamedExpr": "':=' is not allowed in a rule; to compare, use ==",
    "JoinedStr": "f-strings are only allowed in 'yields'; join texts with +",
    "DictComp": "a dict comprehension is not allowed in a rule",
    "Starred": "* and ** are not allowed in a rule",
    "Await": "'await' is not allowed in a rule",
    "Yield": "'yield' is not allowed in a rule",
    "YieldFrom": "'yield' is not allowed in a rule",
}
_INVISIBLE = {"Cf", "Co", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"


def parse(text: str, *, message: bool = False) -> ast.expr:
    """Parse one expression, with positions counted from 0 in `text`. `message` allows f-strings."""
    _reject_early(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(f"(\n{text}\n)", mode="eval").body
    except SyntaxError as error:
        raise RuleRejected(_syntax_fault(error, text)) from None
    except (RecursionError, MemoryError, ValueError):
        raise RuleRejected(SyntaxProblem("the expression is nested too deeply")) from None
    _count_from_zero(tree, text.split("\n"))
    faults = list(_disallowed(tree, (*_ALLOWED, *_IN_MESSAGES) if message else _ALLOWED))
    if faults:
        raise RuleRejected(*faults)
    return tree


def _reject_early(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise RuleRejected(SyntaxProblem(f"the expression is longer than {MAX_LENGTH:,} characters"))
    for index, character in enumerate(text):
        if _unprintable(character):
            line, column = text.count("\n", 0, index), index - text.rfind("\n", 0, index) - 1
            hint = "use single quotes in YAML: in double ones, \\b is a backspace" if character == "\b" else ""
            message = f"invisible or control character U+{ord(character):04X}"
            raise RuleRejected(SyntaxProblem(message, line, column, hint))
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH or re.search(rf"(?:[-+~]\s*){{{MAX_DEPTH}}}|(?:\bnot\s+){{{MAX_DEPTH}}}", text):
        raise RuleRejected(SyntaxProblem("the expression is nested too deeply"))
    _reject_unbalanced(text)


def _unprintable(character: str) -> bool:
    if character in "\n\t" or character in _JOINERS:
        return False
    return ord(character) < 32 or ord(character) == 127 or unicodedata.category(character) in _INVISIBLE


def _reject_unbalanced(text: str) -> None:
    """Reject unbalanced brackets: the text is parsed inside brackets, where `a) or (b` would be valid."""
    depth, empty = 0, True
    try:
        for token in tokenize.generate_tokens(io.StringIO(f"(\n{text}\n)").readline):
            inside = 1 < token.start[0] < text.count("\n") + 3
            empty = empty and not (inside and token.type in _CONTENT)
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if inside and depth == 0:
                    raise RuleRejected(
                        SyntaxProblem("there is no bracket to close", token.start[0] - 2, token.start[1])
                    )
    except (tokenize.TokenError, SyntaxError):
        return  # the parser reports a better message
    if empty:
        raise RuleRejected(SyntaxProblem("the expression is empty"))


_CONTENT = {tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP} | (
    {tokenize.FSTRING_START} if hasattr(tokenize, "FSTRING_START") else set()
)


def _syntax_fault(error: SyntaxError, text: str) -> SyntaxProblem:
    lines = text.split("\n")
    line = min(max((error.lineno or 2) - 2, 0), len(lines) - 1)
    column = min(max((error.offset or 1) - 1, 0), len(lines[line]))
    hint = "use == to compare" if re.search(r"(?<![=!<>:])=(?!=)", text) else ""
    return SyntaxProblem(f"this is not an expression: {error.msg.partition('. ')[0]}", line, column, hint)


def _count_from_zero(tree: ast.expr, lines: list[str]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.keyword):
            node.lineno = min(max(node.lineno - 2, 0), len(lines) - 1)
            node.col_offset = len(lines[node.lineno].encode()[: node.col_offset].decode(errors="ignore"))


def _disallowed(tree: ast.expr, allowed: tuple[type[ast.AST], ...]) -> Iterator[SyntaxProblem]:
    todo: list[tuple[ast.AST, ast.AST, int]] = [(tree, tree, 0)]
    seen = 0
    while todo:
        node, owner, depth = todo.pop()
        seen += 1
        if seen > MAX_NODES or depth > MAX_DEPTH:
            yield at(owner, "the expression is too large")
            return
        if not isinstance(node, allowed):
            kind = type(node).__name__
            yield at(owner, _MESSAGES.get(kind, f"{kind} is not allowed in a rule"))
        else:
            children = ast.iter_child_nodes(node)
            todo += [(child, child if isinstance(child, ast.expr) else owner, depth + 1) for child in children]


_MAX_WIDTH = 160
_TOKEN = re.compile(r"conv\[\d*\](?:\.\w+)?|\.?\w+|.")


def excerpt(problem: Problem, written: str = "") -> list[str]:
    """Return the line of a problem and a caret under its position; nothing if the line is unavailable.

    `written` is used instead of a file that does not exist.
    """
    if not problem.line or not problem.column:
        return []
    lines = _lines(problem.file) or (written,)
    if problem.line > len(lines):
        return []
    line, start = lines[problem.line - 1], problem.column - 1
    if not line.strip() or start > len(line) or start > _MAX_WIDTH:
        return []
    thing = _TOKEN.match(line, start)
    shown = line[:_MAX_WIDTH]
    return [shown, " " * start + "^" * max(min(thing.end() if thing else 0, len(shown)) - start, 1)]


@lru_cache(maxsize=64)
def _lines(file: str) -> tuple[str, ...]:
    path = Path(file)
    if not path.is_file():
        return ()
    return tuple(path.read_text("utf-8-sig", errors="replace").replace("\t", " ").splitlines())
