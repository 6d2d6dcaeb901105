"""The first tuples of conversations of some kind, in the order in which they would be met, and what they say.

Which conversations are behind the violations of a rule, and why it could not be decided elsewhere.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from sparring.core.verdict import Cause, Example, Offender
from sparring.rules.count.counting import Population, count_at
from sparring.rules.count.plan import Plan
from sparring.rules.count.predicates import Mask, Problem, Signed
from sparring.rules.count.tally import Tally
from sparring.rules.evaluate.columns import Columns, Ints
from sparring.rules.evaluate.compiled_rule import Compiled, rebased, with_units
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.evaluate.decisions import Causes, Where, violation
from sparring.rules.evaluate.model_questions import Answers
from sparring.rules.evaluate.scene import EvaluationContext, evaluate
from sparring.rules.undecided import Failure

Rows = tuple[int, ...]


def first_tuples(problems: Signed, people: Population, of_row: Ints, first: Ints | None = None) -> Iterator[Rows]:
    """The tuples of conversations that the problems count, in lexicographic order of their places.

    `first` are the counts at position 0, if they are known already.
    """
    yield from _longer(problems, people, of_row, (), (), first)


def _longer(
    problems: Signed, people: Population, of_row: Ints, begun: Rows, fixed: Problem, known: Ints | None = None
) -> Iterator[Rows]:
    at = len(begun)
    there = (known if known is not None else count_at(at, problems, people, fixed)) > 0
    for row in np.flatnonzero(there[of_row]).tolist():
        if row in begun:
            continue
        if at + 1 == people.positions:
            yield (*begun, row)
            continue
        only = np.zeros(len(people.sizes), np.bool_)
        only[of_row[row]] = True
        yield from _longer(problems, people, of_row, (*begun, row), (*fixed, Mask(at, only)))


@dataclass(frozen=True, slots=True)
class ExampleFormatter:
    """What there is to say about tuples of conversations, from what was kept of them."""

    compiled: Compiled
    columns: Columns
    answers: Answers
    ids: list[str]

    def example(self, rows: Rows) -> Example:
        """The example that a violation is."""
        reason = violation(self.compiled, lambda node: self.value(node, rows))
        return Example(conversations=tuple(self.ids[row] for row in rows), reason=reason)

    def value(self, node: ast.expr, rows: Rows) -> Any:
        """The value of an expression over these conversations, or a Failure."""
        scene = EvaluationContext((), self.answers)

        def cell(unit: ast.expr, at: int) -> ast.expr:
            name = ast.dump(unit)
            scene.cells[at, name] = self.columns.value(rebased(unit), rows[at])
            return CompiledExpression(at, name)

        return evaluate(closure(with_units(node, cell)), scene)


def culprits(laid_out: Plan, tally: Tally, ids: list[str], shown: int) -> Iterator[Offender]:
    """The conversations of which the largest share of tuples violates the rule."""
    violated, applicable = tally.anywhere("violated"), tally.anywhere("applicable")
    rate = violated / np.maximum(applicable, 1)
    of_row = laid_out.groups.of_row
    order = np.lexsort((-violated[of_row], -rate[of_row]))
    for row in order[:shown].tolist():
        group = of_row[row]
        if violated[group] > 0:
            yield Offender(conversation=ids[row], violated=int(violated[group]), applicable=int(applicable[group]))


def used(laid_out: Plan, tally: Tally) -> int:
    """How many conversations the rule applies to in some tuple."""
    return int(laid_out.groups.sizes[tally.anywhere("applicable") > 0].sum())


def causes(laid_out: Plan, tally: Tally, telling: ExampleFormatter) -> tuple[Cause, ...]:
    """Why tuples could not be decided: values that conversations do not have, else what the first such tuple says."""
    found = Causes()
    clauses: tuple[Where, ...] = ("when", "if", "then")
    for clause in clauses:
        undecided = [*laid_out.events.errors[clause], *laid_out.events.no_model[clause]]
        if undecided and not _of_columns(clause, laid_out, telling, found):
            _of_first_tuple(clause, undecided, laid_out, tally, telling, found)
    return found.most_frequent()


def _of_columns(clause: Where, laid_out: Plan, telling: ExampleFormatter, found: Causes) -> bool:
    """Note each conversation that lacks a value; whether there is any."""
    failed = False
    for column in laid_out.columns_of(clause):
        for group in np.flatnonzero(~column.decided).tolist():
            failed = True
            error = column.values[column.codes[group]].error
            times = int(laid_out.groups.sizes[group])
            found.note(clause, error, telling.ids[laid_out.groups.first[group]], times)
    return failed


def _of_first_tuple(
    clause: Where, undecided: Signed, laid_out: Plan, tally: Tally, telling: ExampleFormatter, found: Causes
) -> None:
    for rows in islice(first_tuples(undecided, tally.people, laid_out.groups.of_row), 1):
        values = [telling.value(part.node, rows) for part in laid_out.conditions if part.clause == clause]
        for failure in (value for value in values if isinstance(value, Failure)):
            found.note(clause, failure.error, " and ".join(telling.ids[row] for row in rows))
            return
