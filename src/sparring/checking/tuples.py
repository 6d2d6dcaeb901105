"""Rules over two or more conversations: exact counts, first examples and culprits, without looking at every tuple."""

import ast
from collections.abc import Iterator
from math import perm
from typing import Any

import numpy as np

from sparring.checking.answers import Answers
from sparring.checking.candidates import Budget
from sparring.checking.closures import Cell, closure
from sparring.checking.columns import Columns, Ints
from sparring.checking.compiled import Compiled
from sparring.checking.count import Population, count, count_at
from sparring.checking.leaves import Leaves
from sparring.checking.limits import Limits
from sparring.checking.plan import Plan, conditions, plan
from sparring.checking.predicates import Mask, Problem, Signed
from sparring.checking.reasons import violation, written
from sparring.checking.scene import Scene, evaluate
from sparring.checking.units import rebased, units, with_units
from sparring.core.verdict import Culprit, Example, Finding


def keep(compiled: Compiled, leaves: Leaves) -> None:
    """Have everything kept that a rule will need of each conversation."""
    trees = [*(part.node for part in conditions(compiled)), *compiled.trees.values()]
    for tree in trees:
        for node, _ in units(tree):
            leaves.add(rebased(node))


async def finding(compiled: Compiled, leaves: Leaves, columns: Columns, answers: Answers, limits: Limits) -> Finding:
    """What a rule finds, after the model was asked all that has to be known."""
    while True:
        laid_out = plan(compiled, columns, answers)
        if not laid_out.open_questions:
            counted = Counted(laid_out, columns, answers, limits)
            found = counted.finding(leaves.ids)
            if not counted.open_questions:
                return found
            await answers.ask(counted.open_questions)
        await answers.ask(laid_out.open_questions)


class Counted:
    """The counts of one rule."""

    def __init__(self, laid_out: Plan, columns: Columns, answers: Answers, limits: Limits) -> None:
        self._plan = laid_out
        self._columns = columns
        self._answers = answers
        self._limits = limits
        self.people = Population(laid_out.groups.sizes, laid_out.positions, Budget(limits.candidates))

    @property
    def open_questions(self) -> list[Any]:
        """What came up while counting."""
        residuals = (atom.residual for atom in self._plan.atoms if atom.residual is not None)
        return [question for residual in residuals for question in residual.open_questions]

    def finding(self, ids: list[str]) -> Finding:
        """Everything there is to say about the rule."""
        events, rule = self._plan.events, self._plan.compiled.rule
        total = perm(len(ids), self._plan.positions)
        applicable, satisfied = self._count(events.applicable), self._count(events.satisfied)
        errors = {clause: self._count(problems) for clause, problems in events.errors.items()}
        no_model = {clause: self._count(problems) for clause, problems in events.no_model.items()}
        left_out = total - applicable - sum(errors[c] + no_model[c] for c in ("when", "if"))
        violated = applicable - satisfied - errors["then"] - no_model["then"]
        return Finding(
            rule=rule.name,
            file=rule.file,
            description=rule.description,
            conversations=rule.conversations,
            total=total,
            filtered=left_out,
            applicable=applicable,
            satisfied=satisfied,
            violated=violated,
            not_applicable=left_out,
            errors=errors,
            needs_model=sum(no_model.values()),
            examples=tuple(self._example(rows, ids) for rows in self._examples()) if violated else (),
            culprits=tuple(self._culprits(ids)) if violated else (),
            removed_by="" if applicable or any(errors.values()) else self._removed_by(),
        )

    def _count(self, problems: Signed) -> int:
        return count(problems, self.people) if problems else 0

    def _examples(self) -> Iterator[tuple[int, ...]]:
        found = first_tuples(self._plan.events.violated, self.people, self._plan.groups.of_row)
        for _, rows in zip(range(self._limits.examples), found, strict=False):
            yield rows

    def _example(self, rows: tuple[int, ...], ids: list[str]) -> Example:
        reason = violation(self._plan.compiled, lambda node: self._value(node, rows))
        return Example(conversations=tuple(ids[row] for row in rows), reason=reason)

    def _value(self, node: ast.expr, rows: tuple[int, ...]) -> Any:
        scene = Scene((), self._answers)

        def cell(unit: ast.expr, at: int) -> ast.expr:
            name = ast.dump(unit)
            scene.cells[at, name] = self._columns.value(rebased(unit), rows[at])
            return Cell(at, name)

        return evaluate(closure(with_units(node, cell)), scene)

    def _culprits(self, ids: list[str]) -> Iterator[Culprit]:
        violated = self._takes_part(self._plan.events.violated)
        applicable = self._takes_part(self._plan.events.applicable)
        rate = violated / np.maximum(applicable, 1)
        for row in np.lexsort((-violated, -rate))[: self._limits.culprits].tolist():
            if violated[row] > 0:
                yield Culprit(conversation=ids[row], violated=int(violated[row]), applicable=int(applicable[row]))

    def _takes_part(self, problems: Signed) -> Ints:
        """For each conversation, in how many of the tuples it is, at whatever position."""
        counts = np.zeros(len(self.people.sizes), np.int64)
        for at in range(self._plan.positions):
            counts += count_at(at, problems, self.people)
        return counts[self._plan.groups.of_row]

    def _removed_by(self) -> str:
        for part, passing in zip(self._plan.conditions, self._plan.events.passing, strict=True):
            if part.clause != "then" and not self._count(passing):
                return f"{part.clause}: {written(part.node)}"
        return ""


def first_tuples(
    problems: Signed, people: Population, of_row: Ints, begun: tuple[int, ...] = (), fixed: Problem = ()
) -> Iterator[tuple[int, ...]]:
    """The tuples of conversations that satisfy the problems, in lexicographic order of their places."""
    at = len(begun)
    there = count_at(at, problems, people, fixed) > 0
    for row in np.flatnonzero(there[of_row]).tolist():
        if row in begun:
            continue
        if at + 1 == people.positions:
            yield (*begun, row)
            continue
        only = np.zeros(len(people.sizes), np.bool_)
        only[of_row[row]] = True
        yield from first_tuples(problems, people, of_row, (*begun, row), (*fixed, Mask(at, only)))
