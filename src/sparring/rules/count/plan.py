"""Counting plan of a rule over several conversations: conditions, columns, groups and events."""

import ast
from dataclasses import dataclass

import numpy as np

from sparring.rules.count.conditions import Atom, Atoms
from sparring.rules.count.predicates import Signed, minus, product
from sparring.rules.evaluate.columns import Bools, Column, ColumnSet, Ints, combine, open_questions
from sparring.rules.evaluate.compiled_rule import CompiledRule, positions, rebase, units
from sparring.rules.evaluate.decisions import ConditionClause
from sparring.rules.evaluate.model_questions import ModelAnswers, ModelQuestion
from sparring.rules.language.expressions import conjuncts
from sparring.rules.undecided import Failure

ALL: Signed = [(1, ())]


@dataclass(frozen=True, slots=True)
class Condition:
    """One conjunct of a clause. `exactly` requires a value equal to True."""

    clause: ConditionClause
    node: ast.expr
    exactly: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of conversations with equal values: group of each row, first row and size of each group."""

    of_row: Ints
    first: Ints
    sizes: Ints


@dataclass(frozen=True, slots=True)
class Events:
    """Possible results of tuples, each as a signed sum of problems. Different events are disjoint."""

    errors: dict[ConditionClause, Signed]
    no_model: dict[ConditionClause, Signed]
    missing: dict[ConditionClause, Signed]
    applicable: Signed
    satisfied: Signed
    passing: list[Signed]

    @property
    def violated(self) -> Signed:
        """Applicable tuples that neither satisfy `then` nor fail in it."""
        return minus(self.applicable, self.satisfied, self.errors["then"], self.no_model["then"])


@dataclass(frozen=True, slots=True)
class Plan:
    """Counting plan of one rule. Any `open_questions` must be answered first."""

    compiled: CompiledRule
    conditions: list[Condition]
    atoms: list[Atom]
    columns: list[Column]
    groups: Groups
    events: Events
    open_questions: list[ModelQuestion]

    @property
    def positions(self) -> int:
        return conversations(self.compiled)

    def columns_of(self, clause: ConditionClause) -> list[Column]:
        """Return the columns that the conditions of one clause read."""
        nodes = [node for part in self.conditions if part.clause == clause for node, _ in units(part.node)]
        names = dict.fromkeys(ast.dump(rebase(node)) for node in nodes)
        return [column for column in self.columns if column.name in names]


def conversations(compiled: CompiledRule) -> int:
    """Return the number of conversations in a tuple of the rule."""
    number = compiled.rule.conversations
    assert number != "all", "a rule over all conversations has no positions"
    return number


def conditions(compiled: CompiledRule) -> list[Condition]:
    """Return all conjuncts of the rule in the order of evaluation."""
    clauses: tuple[ConditionClause, ...] = ("when", "if", "then")
    found = [Condition(clause, part) for clause in clauses for part in conjuncts(compiled.trees[clause])]
    return [*found[:-1], Condition("then", found[-1].node, exactly=True)]


def plan(compiled: CompiledRule, columns: ColumnSet, answers: ModelAnswers, apart: Column | None = None) -> Plan:
    """Compute the columns of a rule, group conversations by them and by `apart`, and build its events."""
    parts = conditions(compiled)
    needed = _columns(parts, columns, conversations(compiled))
    grouping = [*needed.values(), *([apart] if apart else [])]
    of_row, first = combine(grouping) if grouping else _one_group(len(columns))
    groups = Groups(of_row, first, np.bincount(of_row, minlength=len(first)))
    narrow = {name: column.of(first) for name, column in needed.items()}
    atoms = Atoms(conversations(compiled), lambda unit: narrow[ast.dump(unit)], answers)
    made = [atoms.of(part.node, exactly=part.exactly) for part in parts]
    asked = open_questions(needed.values())
    return Plan(compiled, parts, made, list(narrow.values()), groups, _events(parts, made), asked)


def _one_group(rows: int) -> tuple[Ints, Ints]:
    return np.zeros(rows, np.int64), np.zeros(min(rows, 1), np.int64)


def _columns(parts: list[Condition], columns: ColumnSet, size: int) -> dict[str, Column]:
    """Return the columns of a rule by name, asking a model only about conversations still in question."""
    alive: list[Bools] = [np.ones(len(columns), np.bool_) for _ in range(size)]
    needed: dict[str, Bools] = {}
    found: dict[str, Column] = {}
    for part in parts:
        own = {ast.dump(unit): unit for unit in (rebase(node) for node, _ in units(part.node))}
        for node, at in units(part.node):
            name = ast.dump(rebase(node))
            needed[name] = needed[name] | alive[at] if name in needed else alive[at]
        found |= {name: columns.of(unit, needed[name]) for name, unit in own.items()}
        _narrow(alive, part, found)
    return found


def _narrow(alive: list[Bools], part: Condition, found: dict[str, Column]) -> None:
    read = positions(part.node)
    name = ast.dump(rebase(part.node))
    if len(read) == 1 and name in found:
        at = read.pop()
        alive[at] = alive[at] & found[name].where(lambda value: type(value) is not Failure and bool(value))


def _events(parts: list[Condition], atoms: list[Atom]) -> Events:
    errors: dict[ConditionClause, Signed] = {"when": [], "if": [], "then": []}
    no_model: dict[ConditionClause, Signed] = {"when": [], "if": [], "then": []}
    missing: dict[ConditionClause, Signed] = {"when": [], "if": [], "then": []}
    passing, applicable = [ALL], ALL
    for part, atom in zip(parts, atoms, strict=True):
        before = passing[-1]
        errors[part.clause] += product(before, atom.error)
        no_model[part.clause] += product(before, atom.no_model)
        missing[part.clause] += product(before, atom.missing)
        passing.append(product(before, atom.true))
        if part.clause != "then":
            applicable = passing[-1]
    return Events(errors, no_model, missing, minus(applicable, missing["then"]), passing[-1], passing[1:])
