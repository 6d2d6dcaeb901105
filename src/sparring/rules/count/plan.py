"""Counting plan of a rule over several conversations: conditions, columns, groups, events, counts."""

import ast
from dataclasses import dataclass

import numpy as np

from sparring.core.checks import Rule
from sparring.core.verdict import CheckOutcome, Finding
from sparring.rules.count.conditions import Atom, Atoms
from sparring.rules.count.counting import CandidateBudget, Population, count, count_at, dot
from sparring.rules.count.predicates import Signed, minus, product
from sparring.rules.evaluate.columns import Bools, Column, ColumnSet, Ints, combine, open_questions
from sparring.rules.evaluate.compiled_rule import CompiledRule, positions, rebase, units
from sparring.rules.evaluate.decisions import CONDITIONS, ConditionClause
from sparring.rules.evaluate.model_questions import ModelQuestion
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


Events = dict[str, Signed]
"""Possible results of tuples, each as a signed sum of problems.

`applicable` tuples are `satisfied`, `violated`, or undecided in `then`. Of each clause there are `error_then`,
`no_model_then` and `missing_then`.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """Counting plan of one rule. Any `open_questions` must be answered first."""

    compiled: CompiledRule
    conditions: list[Condition]
    atoms: list[Atom]
    columns: list[Column]
    groups: Groups
    events: Events
    passing: list[Signed]
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
    found = [Condition(clause, part) for clause in CONDITIONS for part in conjuncts(compiled.trees[clause])]
    return [*found[:-1], Condition("then", found[-1].node, exactly=True)]


def plan(compiled: CompiledRule, columns: ColumnSet, apart: Column | None = None) -> Plan:
    """Compute the columns of a rule, group conversations by them and by `apart`, and build its events."""
    parts = conditions(compiled)
    needed = _columns(parts, columns, conversations(compiled))
    grouping = [*needed.values(), *([apart] if apart else [])]
    of_row, first = combine(grouping) if grouping else _one_group(len(columns))
    groups = Groups(of_row, first, np.bincount(of_row, minlength=len(first)))
    narrow = {name: column.of(first) for name, column in needed.items()}
    atoms = Atoms(conversations(compiled), lambda unit: narrow[ast.dump(unit)], columns.answers)
    made = [atoms.of(part.node, exactly=part.exactly) for part in parts]
    asked = open_questions(needed.values())
    return Plan(compiled, parts, made, list(narrow.values()), groups, *_events(parts, made), asked)


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


def _events(parts: list[Condition], atoms: list[Atom]) -> tuple[Events, list[Signed]]:
    """Return the events of a rule, and the tuples that pass each condition."""
    found: Events = {f"{kind}_{clause}": [] for kind in ("error", "no_model", "missing") for clause in CONDITIONS}
    passing, applicable = [ALL], ALL
    for part, atom in zip(parts, atoms, strict=True):
        before = passing[-1]
        for kind, problems in (("error", atom.error), ("no_model", atom.no_model), ("missing", atom.missing)):
            found[f"{kind}_{part.clause}"] += product(before, problems)
        passing.append(product(before, atom.true))
        if part.clause != "then":
            applicable = passing[-1]
    found["satisfied"] = passing[-1]
    found["applicable"] = minus(applicable, found["missing_then"])
    found["violated"] = minus(found["applicable"], passing[-1], found["error_then"], found["no_model_then"])
    return found, passing[1:]


class EventCounts:
    """Counts of one rule's events, computed on first use."""

    def __init__(self, rule_plan: Plan, candidates: int) -> None:
        self._plan = rule_plan
        self._found: dict[tuple[str, int], Ints] = {}
        self.people = Population(rule_plan.groups.sizes, rule_plan.positions, CandidateBudget(candidates))

    def at(self, event: str, position: int) -> Ints:
        """Return for each group the number of such tuples with one conversation of it at a position."""
        key = (event, position)
        if key not in self._found:
            self._found[key] = self._counted(event, position)
        return self._found[key]

    def _counted(self, event: str, position: int) -> Ints:
        if event != "violated":
            return count_at(position, self._plan.events[event], self.people)
        undecided = self.at("error_then", position) + self.at("no_model_then", position)
        return self.at("applicable", position) - self.at("satisfied", position) - undecided

    def anywhere(self, event: str) -> Ints:
        """Return for each group the number of such tuples with one conversation of it at any position."""
        return _sum([self.at(event, position) for position in range(self._plan.positions)])

    def undecided_at(self, position: int) -> Ints:
        """Return for each group the number of undecided tuples with one conversation of it at a position."""
        undecided = [event for event in self._plan.events if event.startswith(("error", "no_model"))]
        return _sum([self.at(event, position) for event in undecided])

    def number(self, event: str) -> int:
        """Return the number of tuples of an event."""
        return dot(self.at(event, 0), self.people.sizes)

    def passing(self, condition: int) -> int:
        """Return the number of tuples that pass a condition."""
        return count(self._plan.passing[condition], self.people)


def _sum(counts: list[Ints]) -> Ints:
    found: Ints = np.sum(counts, axis=0, dtype=np.int64)
    return found


NESTED_QUANTIFIERS = ("forall exists", "exists forall")


def with_quantifier(rule: Rule, finding: Finding, tally: EventCounts) -> Finding:
    """Return the finding with its outcome, from the counts of each conversation at the first position.

    `forall exists`: each applicable conversation has a satisfying tuple. `exists forall`: at least one has no other
    tuples.
    """
    applicable, satisfied = tally.at("applicable", 0) > 0, tally.at("satisfied", 0) > 0
    undecided = tally.undecided_at(0) > 0
    if rule.quantifier == "forall exists":
        lacking = applicable & ~satisfied
        failed, open_ = lacking & ~undecided, lacking & undecided
        outcome = CheckOutcome.FAIL if failed.any() else CheckOutcome.ERROR if open_.any() else CheckOutcome.PASS
    else:
        clean = applicable & (tally.at("violated", 0) == 0)
        outcome = (
            CheckOutcome.PASS
            if (clean & ~undecided).any()
            else CheckOutcome.ERROR
            if clean.any()
            else CheckOutcome.FAIL
        )
    if not applicable.any():
        outcome = CheckOutcome.ERROR if np.any(undecided) else CheckOutcome.NOT_APPLICABLE
    return finding.model_copy(update={"judged": outcome})
