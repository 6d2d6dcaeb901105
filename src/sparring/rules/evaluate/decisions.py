"""Decisions of rules: outcome of one tuple, reasons of violations and errors, outcome of a finding."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from operator import eq
from typing import Any, Literal

from sparring.core.causes import Symptom
from sparring.core.checks import Rule
from sparring.core.verdict import Cause, CheckOutcome, Example, Finding
from sparring.rules.evaluate.calls import EvaluationContext, Term, evaluate
from sparring.rules.evaluate.compiled_rule import CompiledRule
from sparring.rules.functions.collections import repr_of, str_of
from sparring.rules.language.expressions import conjuncts, variables
from sparring.rules.undecided import Failure, is_missing, reason
from sparring.statistics.beta import binomial_bounds

ConditionClause = Literal["when", "if", "then"]
CONDITIONS: tuple[ConditionClause, ...] = ("when", "if", "then")


@dataclass(frozen=True, slots=True)
class TupleDecision:
    """Outcome of a rule for one tuple.

    If it could not be decided, or does not apply because a name is missing, `failure` in `clause` is the reason.
    """

    outcome: CheckOutcome
    clause: ConditionClause = "then"
    failure: Failure | None = None


NOT_APPLICABLE = TupleDecision(CheckOutcome.NOT_APPLICABLE)
PASS = TupleDecision(CheckOutcome.PASS)
FAIL = TupleDecision(CheckOutcome.FAIL)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Closures of a rule: conditions other than the constant True, and `then`."""

    conditions: tuple[tuple[ConditionClause, Term], ...]
    then: Term


def clauses(compiled: CompiledRule) -> Clauses:
    """Return the closures that deciding a rule needs."""
    conditions = tuple((where, compiled.term(where)) for where in CONDITIONS[:2] if not _is_true(compiled.trees[where]))
    return Clauses(conditions, compiled.term("then"))


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def decide(rule: Clauses, context: EvaluationContext) -> TupleDecision:
    """Decide a rule for one tuple, evaluating from left to right and no further than needed."""
    for where, term in rule.conditions:
        value = _truth(term, context)
        if isinstance(value, Failure):
            return _without_value(where, value)
        if not value:
            return NOT_APPLICABLE
    value = evaluate(rule.then, context)
    if type(value) is Failure:
        return _without_value("then", value)
    return PASS if eq(value, True) else FAIL


def _without_value(clause: ConditionClause, failure: Failure) -> TupleDecision:
    outcome = CheckOutcome.NOT_APPLICABLE if is_missing(failure) else CheckOutcome.ERROR
    return TupleDecision(outcome, clause, failure)


def _truth(term: Term, context: EvaluationContext) -> bool | Failure:
    value = evaluate(term, context)
    return value if type(value) is Failure else bool(value)


MAX_REASON = 300


EvaluateNode = Callable[[ast.expr], Any]
"""Evaluates an expression for the conversations in question; may return a Failure."""


def violation_reason(compiled: CompiledRule, valued: EvaluateNode, symptom: Symptom | None = None) -> str:
    """Return the reason of a violation: the rule's own message, or the failed condition with its values.

    Of an expectation without a name it is what the `symptom` says in words, if there is one that names a value.
    """
    if "yields" in compiled.trees:
        said = valued(compiled.trees["yields"])
        if not isinstance(said, Failure) and said not in (None, ""):
            return shorten(str_of(said))
    value = valued(compiled.trees["then"])
    if value and not isinstance(value, bool | int | float | Failure):
        return shorten(str_of(value))
    if symptom and symptom.expected and compiled.rule.name == compiled.rule.then:
        return shorten(f"{symptom.subject}: expected {symptom.expected}, got {symptom.got or 'none'}")
    return shorten(_failed_condition(compiled.trees["then"], valued))


def _failed_condition(tree: ast.expr, valued: EvaluateNode) -> str:
    parts = conjuncts(tree)
    part = next((part for part in parts if not valued(part)), parts[-1])
    inner = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) else part
    sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else [inner]
    values = [valued(side) for side in sides if any(variables(side)) or _calls(side)]
    seen = [shorten(repr_of(value), 80) for value in values if type(value) not in (bool, Failure)]
    used = valued(_USED) if isinstance(inner, ast.Call) and _names(inner) in _OF_CALLS else ""
    called = f"; called were: {used}" if isinstance(used, str) and used else ""
    return f"expected {source_of(part)}" + (f", got {' and '.join(seen)}" if seen else "") + called


_USED = ast.parse("tools_used()", mode="eval").body
_OF_CALLS = ("called", "attempted", "call_order", "not_called")
"""Functions that only say whether tools were called."""


def _names(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def source_of(node: ast.expr) -> str:
    """Return the source text of an expression, with generators in one pair of brackets."""
    source = ast.unparse(node)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and len(inner.args) == 1 and isinstance(inner.args[0], ast.GeneratorExp):
            generator = ast.unparse(inner.args[0])
            source = source.replace(f"({generator})", generator)
    return source


def shorten(text: str, length: int = MAX_REASON) -> str:
    """Truncate a text that is longer than `length` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


MAX_CAUSES = 20


class Causes:
    """Reasons for undecided conversations: for each, the number of conversations and the first one."""

    def __init__(self) -> None:
        self._found: dict[tuple[ConditionClause, str], tuple[int, str]] = {}

    def note(self, clause: ConditionClause, error: Exception, conversation: str, conversations: int = 1) -> None:
        """Count a reason for one or more conversations."""
        key = (clause, shorten(reason(error), 160))
        if key in self._found or len(self._found) < MAX_CAUSES * 10:
            times, first = self._found.get(key, (0, conversation))
            self._found[key] = (times + conversations, first)

    def most_frequent(self) -> tuple[Cause, ...]:
        """Return the most frequent causes."""
        found = sorted(self._found.items(), key=lambda item: -item[1][0])[:MAX_CAUSES]
        return tuple(
            Cause(clause=clause, reason=why, conversations=times, first=first)
            for (clause, why), (times, first) in found
        )


def with_outcome(rule: Rule, finding: Finding, used: float) -> Finding:
    """Return the finding with its outcome, if the rule asks for a share or for at least one.

    `used` is the number of independent conversations, or of cases, that the rule applied to. Undecided tuples are
    counted once as violations and once as satisfied; there is an outcome only if both counts agree on it.
    """
    undecided = finding.needs_model + sum(finding.errors.values())
    decided = finding.satisfied + finding.violated
    if rule.at_least is None and rule.quantifier == "forall":
        return finding
    if not decided + undecided:
        return finding.model_copy(update={"judged": CheckOutcome.NOT_APPLICABLE})
    if rule.at_least is None:
        outcome = CheckOutcome.PASS if finding.satisfied else CheckOutcome.ERROR if undecided else CheckOutcome.FAIL
        one = {"examples": _none_holds(finding) if outcome is CheckOutcome.FAIL else (), "culprits": ()}
        return finding.model_copy(update={"judged": outcome, **one})
    lowest = lower_bound(finding.satisfied / (decided + undecided), used, rule.confidence)
    highest = lower_bound((finding.satisfied + undecided) / (decided + undecided), used, rule.confidence)
    certain = (
        CheckOutcome.PASS
        if lowest >= rule.at_least
        else CheckOutcome.FAIL
        if highest < rule.at_least
        else CheckOutcome.ERROR
    )
    return finding.model_copy(update={"judged": certain, "bound": lowest if rule.confidence else None})


def _none_holds(finding: Finding) -> tuple[Example, ...]:
    """Return the one reason why a rule that must hold somewhere holds nowhere."""
    unit = "conversations" if finding.conversations == 1 else "pairs" if finding.conversations == 2 else "groups"
    why = f": {finding.examples[0].reason}" if finding.examples else ""
    return (Example(conversations=(), reason=f"none of {finding.violated:,} {unit} holds{why}"),)


def lower_bound(share: float, number: float, confidence: float | None) -> float:
    """Return the exact one-sided lower bound of a share, or the share itself without a confidence.

    `number` counts cases, or is an effective number of independent conversations, never tuples or repeats: tuples share
    conversations, and repeats of a case resemble each other.
    """
    if confidence is None or not number:
        return share
    return binomial_bounds(share, number, 1 - confidence)[0]


def case_of(conversation: str) -> str:
    """Return the id of a conversation without the number of its repeat."""
    case, mark, repeat = conversation.rpartition("#")
    return case if mark and repeat.isdecimal() else conversation
