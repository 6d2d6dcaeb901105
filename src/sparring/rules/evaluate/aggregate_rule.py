"""Rules over all conversations: `when` and `if` select, `then` aggregates the selected conversations."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.core.verdict import CheckOutcome, Example, Finding
from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.columns import Bools, Column, ColumnSet, open_questions
from sparring.rules.evaluate.compiled_rule import CompiledRule, rebase, replace_parts, unit
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.evaluate.decisions import CONDITIONS, Causes, ConditionClause, shorten, source_of, violation_reason
from sparring.rules.evaluate.model_questions import ModelQuestion
from sparring.rules.evaluate.required_columns import RequiredColumns
from sparring.rules.functions.aggregates import AGGREGATES, Values
from sparring.rules.functions.collections import repr_of
from sparring.rules.language.expressions import variables
from sparring.rules.language.semantics import aggregate_call
from sparring.rules.limits import EvaluationLimits
from sparring.rules.undecided import Failure, NeedsModel, is_missing

_MAX_SHOWN = 20
_REPEATS = 4
"""Repeats that it takes for a test of a rule over all conversations."""

_MOST_REPEATS = 1000

VIOLATED = {CheckOutcome.PASS: False, CheckOutcome.FAIL: True}


def require_columns(compiled: CompiledRule, required: RequiredColumns) -> None:
    """Register every column that the rule needs of each conversation."""
    arguments = [node.args[0] for tree in compiled.trees.values() for node in _aggregates(tree)]
    for tree in (compiled.trees["when"], compiled.trees["if"], *arguments):
        if unit(tree) is not None:
            required.add(rebase(tree))


def finding(compiled: CompiledRule, columns: ColumnSet, limits: EvaluationLimits) -> Finding | list[ModelQuestion]:
    """Return the finding of a rule, or the questions that a model must answer first."""
    picked = _select(compiled, columns)
    over_all = AggregateRule(compiled, picked, columns)
    found = over_all.finding(limits)
    if questions := picked.open_questions + over_all.open_questions:
        return questions
    return found.model_copy(update={"by_repeat": tuple(_by_repeat(compiled, picked.rows, columns))})


def _by_repeat(compiled: CompiledRule, rows: Bools, columns: ColumnSet) -> Iterator[bool | None]:
    """Yield for each repeat if the rule is violated over its conversations; nothing for few repeats."""
    for repeat in repeats_apart(columns.required):
        found = AggregateRule(compiled, SelectedConversations(rows & repeat), columns)
        yield VIOLATED.get(found.finding(EvaluationLimits(examples=0)).outcome)


def repeats_apart(required: RequiredColumns) -> Iterator[Bools]:
    """Yield the conversations of each repeat; nothing for few repeats."""
    repeats = np.array(required.repeats, np.int64)
    for repeat in range(1, _MOST_REPEATS + 1 if max(required.repeats, default=0) >= _REPEATS else 0):
        if not (repeats == repeat).any():
            return
        yield repeats == repeat


@dataclass(slots=True)
class SelectedConversations:
    """Conversations selected by `when` and `if`, with errors and open questions of the selection."""

    rows: Bools
    errors: dict[ConditionClause, int] = field(default_factory=lambda: {"when": 0, "if": 0, "then": 0})
    needs_model: int = 0
    causes: Causes = field(default_factory=Causes)
    missing: Causes = field(default_factory=Causes)
    open_questions: list[ModelQuestion] = field(default_factory=list)


def _select(compiled: CompiledRule, columns: ColumnSet) -> SelectedConversations:
    ids = columns.ids
    picked = SelectedConversations(np.ones(len(ids), np.bool_))
    for clause in CONDITIONS[:2]:
        column = _column(compiled.trees[clause], columns, picked.rows)
        picked.open_questions += open_questions([column])
        for row in np.flatnonzero(picked.rows & ~column.decided).tolist():
            value = column.values[column.codes[row]]
            error = value.error
            if is_missing(value):
                picked.missing.note(clause, error, ids[row])
                continue
            picked.errors[clause] += not isinstance(error, NeedsModel)
            picked.needs_model += isinstance(error, NeedsModel)
            picked.causes.note(clause, error, ids[row])
        picked.rows = picked.rows & column.where(lambda value: type(value) is not Failure and bool(value))
    return picked


def _column(tree: ast.expr, columns: ColumnSet, needed: Bools) -> Column:
    """Return the column of an expression over one conversation, or a constant column."""
    if unit(tree) is not None:
        return columns.of(rebase(tree), needed)
    return Column("constant", np.zeros(len(needed), np.int64), [evaluate(closure(tree), EvaluationContext())])


def _aggregates(tree: ast.expr) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call) and aggregate_call(node))


class AggregateRule:
    """Evaluates `then`, with each aggregate computed over the selected conversations."""

    def __init__(self, compiled: CompiledRule, picked: SelectedConversations, columns: ColumnSet) -> None:
        self._compiled = compiled
        self._picked = picked
        self._columns = columns
        self._found: dict[str, Any] = {}
        self._missing: dict[int, Exception] = {}
        self.open_questions: list[ModelQuestion] = []

    def finding(self, limits: EvaluationLimits) -> Finding:
        """Return the finding over the selected conversations."""
        rule, picked = self._compiled.rule, self._picked
        rows, ids = np.flatnonzero(picked.rows).tolist(), self._columns.ids
        value = self._value(self._compiled.trees["then"]) if rows else None
        for row, error in self._missing.items():
            picked.missing.note("then", error, ids[row])
        if is_missing(value):
            rows, value = [], None
        failed = isinstance(value, Failure)
        unmodelled = isinstance(value, Failure) and isinstance(value.error, NeedsModel)
        if isinstance(value, Failure):
            picked.causes.note("then", value.error, ids[rows[0]])
        satisfied, violated = bool(rows and not failed and value), bool(rows and not failed and not value)
        return Finding(
            rule=rule.name,
            file=rule.file,
            description=rule.description,
            conversations="all",
            total=1,
            filtered=len(ids) - len(rows),
            applicable=int(bool(rows)),
            satisfied=int(satisfied),
            violated=int(violated),
            not_applicable=int(not rows),
            errors=picked.errors | {"then": int(failed and not unmodelled)},
            needs_model=picked.needs_model + unmodelled,
            examples=tuple(self._examples(ids))[: limits.examples] if violated else (),
            causes=picked.causes.most_frequent(),
            missing=picked.missing.most_frequent(),
            removed_by="" if rows else self._removed_by(),
        )

    def _value(self, tree: ast.expr) -> Any:
        context = EvaluationContext((), self._columns.answers)

        def choose(node: ast.expr, local: frozenset[str]) -> ast.expr | None:
            name = aggregate_call(node)
            if name is None or not isinstance(node, ast.Call):
                return None
            key = ast.dump(node)
            if key not in self._found:
                self._found[key] = self._aggregate(name, node)
            context.cells[0, key] = self._found[key]
            return CompiledExpression(0, key)

        return evaluate(closure(replace_parts(tree, choose)), context)

    def _aggregate(self, name: str, node: ast.Call) -> Any:
        rows, values = self._values(node)
        if self._picked.rows.any() and not rows:
            return Failure(next(iter(self._missing.values())))
        others = [closure(argument) for argument in node.args[1:]]
        return evaluate(
            lambda context: AGGREGATES[name].combine(values, *[term(context) for term in others]), EvaluationContext()
        )

    def _values(self, node: ast.Call) -> tuple[list[int], Values]:
        """Return the selected conversations that define the names of an aggregate's argument, and its values."""
        column = _column(node.args[0], self._columns, self._picked.rows)
        self.open_questions += open_questions([column])
        found = {row: column.values[column.codes[row]] for row in np.flatnonzero(self._picked.rows).tolist()}
        self._missing |= {row: value.error for row, value in found.items() if is_missing(value)}
        known = {row: value for row, value in found.items() if not is_missing(value)}
        return list(known), list(known.values())

    def _examples(self, ids: list[str]) -> Iterator[Example]:
        reason = violation_reason(self._compiled, self._value)
        none = True
        for node in _aggregates(self._compiled.trees["then"]):
            rows, values = self._values(node)
            shows = any(variables(node.args[0]))
            for group in AGGREGATES[aggregate_call(node) or ""].witnesses(values):
                none = False
                value = f": {source_of(node.args[0])} is {shorten(repr_of(values[group[0]]), 80)}" if shows else ""
                yield Example(conversations=tuple(ids[rows[at]] for at in group[:_MAX_SHOWN]), reason=reason + value)
        if none:
            yield Example(conversations=(), reason=reason)

    def _removed_by(self) -> str:
        rule = self._compiled.rule
        clauses = {"when": rule.when, "if": rule.if_}
        return " and ".join(f"{name}: {text}" for name, text in clauses.items() if text != "True")
