"""Compiled rules: parsed and checked clauses, and their units.

A unit is a largest sub-expression that reads only one conversation.
"""

import ast
import re
from collections.abc import Callable, Iterator, Set
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sparring.core.checks import Clause, Rule
from sparring.core.errors import Problem
from sparring.core.text import did_you_mean
from sparring.rules.evaluate.calls import Term
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.functions.registry import lookup
from sparring.rules.language.expressions import (
    Comprehension,
    conversation_index,
    index_of,
    loop_variables,
    parts,
    scoped_parts,
    uses_model,
    variable,
    variables,
    with_iso_languages,
)
from sparring.rules.language.parser import RuleRejected, SyntaxProblem, at, parse
from sparring.rules.language.semantics import Scope, semantic_problems, unquote_aggregates
from sparring.rules.recording import DERIVED

NO_LOCALS: frozenset[str] = frozenset()
Choose = Callable[[ast.expr, frozenset[str]], ast.expr | None]


def positions(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> set[int]:
    """Return the positions of the conversations that an expression reads."""
    if isinstance(node, CompiledExpression):
        return {node.position}
    found = variable(node, local)
    if found is not None:
        return {found[0]}
    own = conversation_index(node) if isinstance(node, ast.Call) else None
    inside = [positions(part, inner) for part, inner in scoped_parts(node, local)]
    return set().union(*inside, () if own is None else (own,))


def unit(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> int | None:
    """Return the position that `node` reads, or None if it is not a unit.

    A unit reads exactly one conversation, needs no outer loop variable and has a value.
    """
    if isinstance(node, ast.GeneratorExp | ast.Slice | ast.FormattedValue) or _reads_local(node, local):
        return None
    read = positions(node, local)
    return read.pop() if len(read) == 1 else None


def _reads_local(node: ast.expr, local: frozenset[str]) -> bool:
    if not local:
        return False
    if isinstance(node, ast.Name):
        return node.id in local
    if isinstance(node, Comprehension):
        for loop in node.generators:
            if _reads_local(loop.iter, local):
                return True
            local = local - loop_variables(loop.target)
            if any(_reads_local(condition, local) for condition in loop.ifs):
                return True
        return _reads_local(node.elt, local)
    return any(_reads_local(part, local) for part in parts(node))


def of_conversation(node: ast.expr) -> bool:
    """Return True if `node` needs more than variables: messages, or the presence of a variable."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and conversation_index(inner) is not None:
            return True
        found = variable(inner)
        if found is not None and found[1] in DERIVED:
            return True
    return False


def units(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> Iterator[tuple[ast.expr, int]]:
    """Yield the units of an expression, each with its position."""
    where = unit(node, local)
    if where is not None:
        yield node, where
        return
    for part, inner in scoped_parts(node, local):
        yield from units(part, inner)


def inseparable(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> Iterator[SyntaxProblem]:
    """Yield a problem for each call on one conversation whose arguments depend on another one.

    Rules over several conversations are evaluated on values; the conversations are no longer available.
    """
    if unit(node, local) is not None:
        return
    if isinstance(node, ast.Call) and conversation_index(node) is not None:
        yield at(node, "its arguments must be written out, or come from the same conversation")
        return
    for part, inner in scoped_parts(node, local):
        yield from inseparable(part, inner)


def with_units(node: ast.expr, make: Callable[[ast.expr, int], ast.expr]) -> ast.expr:
    """Return a copy of the tree in which `make(unit, position)` replaces every unit."""

    def choose(part: ast.expr, local: frozenset[str]) -> ast.expr | None:
        where = unit(part, local)
        return None if where is None else make(part, where)

    return replace_parts(node, choose)


def read_from_cells(node: ast.expr) -> ast.expr:
    """Return a copy of the tree that reads its variables from precomputed cells."""

    def choose(part: ast.expr, local: frozenset[str]) -> ast.expr | None:
        found = variable(part, local)
        return None if found is None else CompiledExpression(*found)

    return replace_parts(node, choose)


def replace_parts(node: ast.expr, choose: Choose) -> ast.expr:
    """Return a copy of the tree in which each part is replaced by `choose(part)`, unless that is None."""
    return _replace_parts(deepcopy(node), choose, NO_LOCALS)


def _replace_parts(node: ast.expr, choose: Choose, local: frozenset[str]) -> ast.expr:
    chosen = choose(node, local)
    if chosen is not None:
        return chosen
    new = {id(part): _replace_parts(part, choose, inner) for part, inner in scoped_parts(node, local)}
    for owner in [node, *_inner_nodes(node)]:
        for name, value in ast.iter_fields(owner):
            if isinstance(value, list):
                setattr(owner, name, [new.get(id(item), item) for item in value])
            else:
                setattr(owner, name, new.get(id(value), value))
    return node


def _inner_nodes(node: ast.expr) -> Iterator[ast.AST]:
    """Yield nodes between an expression and its sub-expressions: loops, keyword arguments, methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension | ast.keyword):
            yield child
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield node.func


@lru_cache(maxsize=4096)  # trees are shared
def rebase(node: ast.expr) -> ast.expr:
    """Return a copy that reads conv[0] at every position, so that one column serves all positions."""
    copy = deepcopy(node)
    for inner in ast.walk(copy):
        index = index_of(inner)
        if isinstance(index, ast.Constant):
            index.value = 0
    return copy


_WORDS = re.compile(r"[^(){}\[\]'\"`\\=@]*")
CLAUSES: tuple[Clause, ...] = ("when", "if", "then", "yields")
ConversationCount = int | Literal["all"]
"""Number of conversations that a rule evaluates together."""


@dataclass(frozen=True)
class CompiledRule:
    """Syntax trees of a rule's clauses. `yields` is present only if the rule has a message."""

    rule: Rule
    trees: dict[Clause, ast.expr]

    def term(self, clause: Clause) -> Term:
        """Compile one clause to a closure."""
        return closure(self.trees[clause])

    @property
    def asks(self) -> bool:
        """True if evaluating the rule may ask a language model."""
        return any(map(uses_model, self.trees.values()))

    def unknown(self, known: Set[str], *, lacks: str = "no conversation has a variable") -> list[Problem]:
        """Return problems for names that no conversation defines. Names in `yields` are not checked."""
        conditions = [(clause, tree) for clause, tree in self.trees.items() if clause != "yields"]
        return [problem for clause, tree in conditions for problem in self._unknown(clause, tree, known, lacks)]

    def _unknown(self, clause: Clause, tree: ast.expr, known: Set[str], lacks: str) -> Iterator[Problem]:
        for node, name in _variables_in(tree):
            if name not in known and name not in DERIVED:
                hint = (
                    f"a function must be called: {name}(...)"
                    if lookup(name)
                    else did_you_mean(name, {*known, *DERIVED})
                )
                fault = SyntaxProblem(f"{lacks} {name!r}", node.lineno, node.col_offset, hint)
                yield clause_problem(self.rule, clause, fault)


@lru_cache(maxsize=1024)  # trees are shared, and looked at with every conversation
def _variables_in(tree: ast.expr) -> tuple[tuple[ast.expr, str], ...]:
    return tuple((node, name) for node, _, name in variables(tree))


def compile_rule(rule: Rule) -> CompiledRule | list[Problem]:
    """Return the compiled rule, or all problems in its clauses."""
    try:
        trees = _trees(tuple(map(rule.clause, CLAUSES)), rule.conversations)
        return CompiledRule(rule, _restricted(trees, rule) if rule.scenarios else trees)
    except _ClausesRejected as wrong:
        return [clause_problem(rule, clause, fault) for clause, fault in wrong.faults]


def _restricted(trees: dict[Clause, ast.expr], rule: Rule) -> dict[Clause, ast.expr]:
    """Return the clauses with a condition on the scenario of each conversation before `when`."""
    last = 1 if rule.conversations == "all" else rule.conversations
    scoped = [f"in_scenario(conv[{position}], {list(rule.scenarios)!r})" for position in range(last)]
    return {**trees, "when": ast.BoolOp(ast.And(), [*map(parse, scoped), trees["when"]])}


class _ClausesRejected(Exception):
    """Raised with all problems in the clauses of a rule."""

    def __init__(self, faults: list[tuple[Clause, SyntaxProblem]]) -> None:
        super().__init__(faults)
        self.faults = faults


@lru_cache(maxsize=256)
def _trees(texts: tuple[str, ...], conversations: ConversationCount) -> dict[Clause, ast.expr]:
    """Return the trees of the clauses. They are cached and shared, so they must not be modified."""
    trees: dict[Clause, ast.expr] = {}
    wrong: list[tuple[Clause, SyntaxProblem]] = []
    for clause, text in zip(CLAUSES, texts, strict=True):
        if clause == "yields" and not text:
            continue
        try:
            tree = _message(text) if clause == "yields" else parse(text)
            tree = unquote_aggregates(tree) if _over_all(conversations, clause) else tree
            trees[clause] = with_iso_languages(tree)
            found = tuple(semantic_problems(trees[clause], _scope(conversations, clause)))
            if not found and conversations != "all" and conversations > 1:
                found = tuple(inseparable(trees[clause]))
        except RuleRejected as error:
            found = error.faults
        wrong += [(clause, fault) for fault in found]
    if wrong:
        raise _ClausesRejected(wrong)
    return trees


def _message(text: str) -> ast.expr:
    """Parse a message; published SENSEI rules also have plain text in `yields`."""
    if _WORDS.fullmatch(text.strip()):
        try:
            return parse(text, message=True)
        except RuleRejected:
            return ast.Constant(text.strip(), lineno=0, col_offset=0)
    return parse(text, message=True)


def _scope(conversations: ConversationCount, clause: Clause) -> Scope:
    return Scope(1) if conversations == "all" and not _over_all(conversations, clause) else Scope(conversations)


def _over_all(conversations: ConversationCount, clause: Clause) -> bool:
    """Return True if the clause of a rule over all conversations aggregates: not `when` and `if`."""
    return conversations == "all" and clause in ("then", "yields")


def clause_problem(rule: Rule, clause: Clause, fault: SyntaxProblem) -> Problem:
    """Return a syntax problem in a clause as a problem at its position in the file."""
    line, column = rule.place(clause, fault.line, fault.column)
    bare = clause == "then" and rule.name == rule.then and "then" in rule.places and not rule.places["then"].exact
    path = "expect" if bare else clause
    return Problem(file=rule.file, line=line, column=column, path=path, message=fault.message, hint=fault.hint)
