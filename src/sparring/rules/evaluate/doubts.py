"""Doubts about rules: comparisons with a constant result, and names that no conversation defines."""

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from sparring.core.checks import Clause, Rule
from sparring.core.errors import Problem
from sparring.core.verdict import Verdict
from sparring.rules.evaluate.compiled_rule import CompiledRule, clause_problem
from sparring.rules.functions.registry import lookup
from sparring.rules.language.expressions import scoped_parts, variable
from sparring.rules.language.parser import SyntaxProblem, at
from sparring.rules.recording import DERIVED, Recording

_TEXT, _NUMBER, _TRUTH, _LIST = "text", "a number", "True or False", "a list"
_NOTHING, _OTHER = "nothing", "something else"
_KINDS: Mapping[type, str] = {
    str: _TEXT,
    int: _NUMBER,
    float: _NUMBER,
    bool: _TRUTH,
    list: _LIST,
    type(None): _NOTHING,
}
_EQUALITY = (ast.Eq, ast.NotEq)
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_MEMBERSHIP = (ast.In, ast.NotIn)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_WRITTEN: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_TRUE_IF_DIFFERENT = (ast.NotEq, ast.NotIn)
"""Operators that are true for values of different kinds."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    clause: Clause
    operator: ast.cmpop
    subject: ast.expr
    others: tuple[ast.expr, ...]
    local: frozenset[str]


@dataclass(slots=True)
class Comparisons:
    """Comparisons of a rule, with the kinds of the values seen on both sides."""

    compiled: CompiledRule
    _found: list[_Comparison] = field(init=False)
    _seen: dict[str, set[type]] = field(init=False)

    def __post_init__(self) -> None:
        trees = self.compiled.trees.items()
        self._found = [each for clause, tree in trees if clause != "yields" for each in _comparisons_in(clause, tree)]
        self._seen = {name: set() for each in self._found for name in _names(each)}

    def see(self, names: Mapping[str, Any]) -> None:
        """Record the kinds of the values of one conversation."""
        for name, seen in self._seen.items():
            if name in names:
                seen.add(type(names[name]))

    def idle(self) -> list[Problem]:
        """Return a problem for each comparison whose two sides never had a kind in common."""
        together: dict[str, list[_Comparison]] = {}
        for each in self._found:
            ordered = type(each.operator).__name__ if isinstance(each.operator, _ORDER) else ""
            together.setdefault(ordered + ast.dump(each.subject), []).append(each)
        return [
            clause_problem(self.compiled.rule, group[0].clause, self._fault(group[0], own, others))
            for group in together.values()
            for own, others in [self._kinds_of(group)]
            if own and others and own.isdisjoint(others)
        ]

    def _kinds_of(self, group: list[_Comparison]) -> tuple[set[str], set[str]]:
        """Return the kinds on both sides of a comparison; empty sets if they may be equal."""
        own = self._kinds(group[0].subject, group[0].local)
        others = set().union(*(self._kinds(other, each.local) for each in group for other in each.others))
        if _OTHER in own | others or _NOTHING in others or own | others >= {_TRUTH, _NUMBER}:
            return set(), set()
        return own - {_NOTHING}, others

    def _kinds(self, node: ast.expr, local: frozenset[str]) -> set[str]:
        if isinstance(node, ast.Constant):
            return {_kind(type(node.value))}
        if isinstance(node, ast.UnaryOp):
            return {_NUMBER} if isinstance(node.op, ast.USub) else {_OTHER}
        if isinstance(node, ast.Call):
            return _return_kinds(node)
        if alternatives := _alternatives(node):
            return set().union(*(self._kinds(each, local) for each in alternatives))
        if isinstance(node, ast.BinOp):
            both = self._kinds(node.left, local) | self._kinds(node.right, local)
            return both if both == {_NUMBER} else {_OTHER}
        found = variable(node, local)
        if found is None:
            return {_OTHER}
        if found[1] in DERIVED and not self._seen.get(found[1]):
            return {_LIST}
        return {_kind(each) for each in self._seen[found[1]]} or {_OTHER}

    def _fault(self, each: _Comparison, own: set[str], others: set[str]) -> SyntaxProblem:
        subject = ast.unparse(each.subject)
        kinds, compared = " or ".join(sorted(own)), " or ".join(sorted(others))
        differs = "always true" if isinstance(each.operator, _TRUE_IF_DIFFERENT) else "always false"
        always = "never decided" if isinstance(each.operator, _ORDER) else differs
        message = f"{subject} is {kinds} and never {compared}, so this is {always}"
        return at(each.subject, message, _hint(each, subject, own, others))


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """Return the expressions whose value `node` may take: branches of a condition, or values of a table."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        if isinstance(node.value, ast.Dict):
            return node.value.values
        if isinstance(node.value, ast.List | ast.Tuple):
            return node.value.elts
    return []


@lru_cache(maxsize=1024)  # trees are shared by all batches and conversations
def _comparisons_in(clause: Clause, tree: ast.expr) -> tuple[_Comparison, ...]:
    return tuple(each for each in _comparisons(clause, tree) if not _is_trivial(each))


def _comparisons(clause: Clause, node: ast.expr, local: frozenset[str] = frozenset()) -> Iterator[_Comparison]:
    if isinstance(node, ast.Compare):
        for operator, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
            if isinstance(operator, (*_EQUALITY, *_ORDER)):
                subject, other = left, right
                if isinstance(left, ast.Constant):
                    subject, other = right, left
                    operator = _MIRRORED.get(type(operator), type(operator))()
                yield _Comparison(clause, operator, subject, (other,), local)
            elif isinstance(operator, _MEMBERSHIP) and isinstance(right, _DISPLAYS) and right.elts:
                yield _Comparison(clause, operator, left, tuple(right.elts), local)
    for part, inner in scoped_parts(node, local):
        yield from _comparisons(clause, part, inner)


def _is_trivial(each: _Comparison) -> bool:
    """Return True if a comparison is between values of one variable, or of a constant."""
    names = [found[1] for side in (each.subject, *each.others) if (found := variable(side, each.local))]
    return isinstance(each.subject, ast.Constant) or len(names) > len(set(names))


def _names(each: _Comparison) -> Iterator[str]:
    for side in (each.subject, *each.others):
        for part in _operands(side):
            found = variable(part, each.local)
            if found is not None:
                yield found[1]


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions that decide the kind of `node`."""
    parts = [node.left, node.right] if isinstance(node, ast.BinOp) else _alternatives(node)
    if not parts:
        yield node
    for part in parts:
        yield from _operands(part)


def _kind(type: type) -> str:
    return _KINDS.get(type, _OTHER)


def _return_kinds(call: ast.Call) -> set[str]:
    """Return the kinds of a function's annotated return type."""
    function = lookup(call.func.id) if isinstance(call.func, ast.Name) else None
    if function is None:
        return {_OTHER}
    annotation = function.signature.return_annotation
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return {_kind(get_origin(each) or each) for each in kinds}


def _hint(each: _Comparison, subject: str, own: set[str], others: set[str]) -> str:
    """Return a suggestion if the comparison has a single other side."""
    if len(each.others) != 1:
        return ""
    operator = _WRITTEN[type(each.operator)]
    other, (value,) = ast.unparse(each.others[0]), each.others
    if isinstance(value, ast.IfExp):
        other = f"({other})"
    if (own, others) == ({_TEXT}, {_NUMBER}):
        exact = isinstance(value, ast.Constant) and not isinstance(each.operator, _ORDER)
        quoted = f", or {subject} {operator} '{other}'" if exact else ""
        return f"did you mean extract_float({subject}) {operator} {other}{quoted}?"
    if (own, others) == ({_NUMBER}, {_TEXT}) and not isinstance(each.operator, _ORDER):
        return f"did you mean str({subject}) {operator} {other}?"
    if (own, others) == ({_LIST}, {_TEXT}):
        return f"did you mean {other} {'not in' if isinstance(each.operator, ast.NotEq) else 'in'} {subject}?"
    return ""


VerdictListener = Callable[[Verdict], None]


@dataclass(slots=True)
class _Names:
    """Names that a conversation defines, and those that are texts in a scenario file."""

    known: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


class KnownNames:
    """Names that at least one conversation defines, for each selection of scenarios that rules make."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], _Names | None] = {}

    def enter(self, rule: Rule) -> None:
        """Collect the names for the scenarios of a rule, too."""
        self._found.setdefault(rule.scenarios, None)

    def see(self, recording: Recording) -> None:
        """Add the names of one recording."""
        for scenarios, found in self._found.items():
            if recording.is_of(scenarios):
                found = self._found[scenarios] = found or _Names()
                found.known.update(recording.names)
                found.texts.update(recording.plain_texts)

    def unknown(self, compiled: CompiledRule) -> list[Problem]:
        """Return problems for names that no conversation of the rule defines, and for indexed texts."""
        found = self._found.get(compiled.rule.scenarios)
        return [] if found is None else [*compiled.unknown(found.known), *indexed_texts(compiled, found.texts)]


class DeferredVerdicts:
    """Delays the verdicts of a rule until all its names are known: an invalid rule has no verdicts."""

    def __init__(self, compiled: CompiledRule, names: KnownNames, listener: VerdictListener) -> None:
        self._compiled = compiled
        self._names = names
        self._listener = listener
        self._deferred: list[Verdict] | None = []

    def __call__(self, verdict: Verdict) -> None:
        if self._deferred is None:
            self._listener(verdict)
            return
        self._deferred.append(verdict)
        if len(self._deferred) % 100 == 1:
            self.release()

    def release(self) -> None:
        """Pass on the delayed verdicts if every name is known."""
        if self._deferred is not None and not self._names.unknown(self._compiled):
            deferred, self._deferred = self._deferred, None
            for verdict in deferred:
                self._listener(verdict)


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
