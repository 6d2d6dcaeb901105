"""A rule with its clauses ready to evaluate, or everything that is wrong with it."""

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sparring.checking.closures import closure
from sparring.checking.faults import Fault, Refused
from sparring.checking.library.registry import lookup
from sparring.checking.meaning import Scope, faults
from sparring.checking.recording import DERIVED
from sparring.checking.scene import Term
from sparring.checking.syntax import parse
from sparring.checking.tree import asks, variables
from sparring.checking.units import inseparable
from sparring.checking.whole import spelled_out
from sparring.core.checks import Clause, Rule
from sparring.core.errors import Problem
from sparring.core.text import close

_WORDS = re.compile(r"[^(){}\[\]'\"`\\=@]*")
CLAUSES: tuple[Clause, ...] = ("when", "if", "then", "yields")
Together = int | Literal["all"]
"""How many conversations a rule looks at together."""


@dataclass(frozen=True)
class Compiled:
    """The trees of a rule's clauses; `yields` is there only if the rule has a message."""

    rule: Rule
    trees: dict[Clause, ast.expr]

    def term(self, clause: Clause) -> Term:
        """The closure of one clause."""
        return closure(self.trees[clause])

    @property
    def asks(self) -> bool:
        """Whether it has anything to ask a language model."""
        return any(map(asks, self.trees.values()))

    def unknown(self, known: Set[str], *, lacks: str = "no conversation has a variable") -> list[Problem]:
        """The names it uses that no conversation defines; a message may do without."""
        conditions = [(clause, tree) for clause, tree in self.trees.items() if clause != "yields"]
        return [problem for clause, tree in conditions for problem in self._unknown(clause, tree, known, lacks)]

    def _unknown(self, clause: Clause, tree: ast.expr, known: Set[str], lacks: str) -> Iterator[Problem]:
        for node, _, name in variables(tree):
            if name not in known and name not in DERIVED:
                hint = f"a function must be called: {name}(...)" if lookup(name) else close(name, {*known, *DERIVED})
                fault = Fault(f"{lacks} {name!r}", node.lineno, node.col_offset, hint)
                yield problem(self.rule, clause, fault)


def compile_rule(rule: Rule) -> Compiled | list[Problem]:
    """The rule ready to be checked, or all that is wrong with it, clause by clause."""
    try:
        return Compiled(rule, _trees(tuple(map(rule.clause, CLAUSES)), rule.conversations))
    except _Wrong as wrong:
        return [problem(rule, clause, fault) for clause, fault in wrong.faults]


class _Wrong(Exception):
    """All that is wrong with the clauses of a rule."""

    def __init__(self, faults: list[tuple[Clause, Fault]]) -> None:
        super().__init__(faults)
        self.faults = faults


@lru_cache(maxsize=256)
def _trees(texts: tuple[str, ...], conversations: Together) -> dict[Clause, ast.expr]:
    """The trees of the clauses, which nobody changes: many conversations are expected to keep the same rule."""
    trees: dict[Clause, ast.expr] = {}
    wrong: list[tuple[Clause, Fault]] = []
    for clause, text in zip(CLAUSES, texts, strict=True):
        if clause == "yields" and not text:
            continue
        try:
            tree = _message(text) if clause == "yields" else parse(text)
            trees[clause] = spelled_out(tree) if _over_all(conversations, clause) else tree
            found = tuple(faults(trees[clause], _scope(conversations, clause)))
            if not found and conversations != "all" and conversations > 1:
                found = tuple(inseparable(trees[clause]))
        except Refused as error:
            found = error.faults
        wrong += [(clause, fault) for fault in found]
    if wrong:
        raise _Wrong(wrong)
    return trees


def _message(text: str) -> ast.expr:
    """The expression of a message; published rules also have plain words there, which no expression begins like."""
    if _WORDS.fullmatch(text.strip()):
        try:
            return parse(text, message=True)
        except Refused:
            return ast.Constant(text.strip(), lineno=0, col_offset=0)
    return parse(text, message=True)


def _scope(conversations: Together, clause: Clause) -> Scope:
    return Scope(1) if conversations == "all" and not _over_all(conversations, clause) else Scope(conversations)


def _over_all(conversations: Together, clause: Clause) -> bool:
    """`when` and `if` pick conversations one by one, even where the rule is over all of them."""
    return conversations == "all" and clause in ("then", "yields")


def problem(rule: Rule, clause: Clause, fault: Fault) -> Problem:
    """A fault in the text of a clause, at its place in the file."""
    line, column = rule.place(clause, fault.line, fault.column)
    return Problem(file=rule.file, line=line, column=column, path=clause, message=fault.message, hint=fault.hint)
