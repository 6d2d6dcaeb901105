"""The first tuples of conversations of some kind, in the order in which they would be met, and what they say."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.checking.answers import Answers
from sparring.checking.closures import Cell, closure
from sparring.checking.columns import Columns, Ints
from sparring.checking.compiled import Compiled
from sparring.checking.count import Population, count_at
from sparring.checking.predicates import Mask, Problem, Signed
from sparring.checking.reasons import violation
from sparring.checking.scene import Scene, evaluate
from sparring.checking.units import rebased, with_units
from sparring.core.verdict import Example

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
class Telling:
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
        scene = Scene((), self.answers)

        def cell(unit: ast.expr, at: int) -> ast.expr:
            name = ast.dump(unit)
            scene.cells[at, name] = self.columns.value(rebased(unit), rows[at])
            return Cell(at, name)

        return evaluate(closure(with_units(node, cell)), scene)
