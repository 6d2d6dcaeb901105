"""What a rule would find, from a sample: reported as an estimate, never as a count."""

import ast
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sparring.checking.answers import Answers
from sparring.checking.bounds import STEPS
from sparring.checking.closures import Cell, closure
from sparring.checking.columns import Column, Ints
from sparring.checking.limits import Limits
from sparring.checking.plan import Plan
from sparring.checking.sampling import Candidates
from sparring.checking.scene import Scene, Term, evaluate
from sparring.checking.undecided import Failure, NeedsModel
from sparring.checking.units import rebased, with_units
from sparring.core.verdict import Estimate
from sparring.statistics.intervals import interval

Outcomes = Counter[str]
_A_CONDITION = 10


@dataclass(frozen=True, slots=True)
class Sampled:
    """How often each outcome came up, `error_when`, `violated` and so on, and the first violations, as groups."""

    estimate: Estimate
    outcomes: Outcomes
    violations: list[tuple[int, ...]]

    def of_all(self, outcome: str) -> int:
        """How many of all candidates would come out so."""
        return round(self.outcomes[outcome] / self.estimate.sampled * self.estimate.candidates)


def sample(laid_out: Plan, answers: Answers, limits: Limits) -> Sampled | None:
    """Draw and decide so many tuples; None if there are none to draw."""
    candidates = Candidates(laid_out)
    rule = laid_out.compiled.rule
    if not candidates.number:
        return None
    drawn = candidates.draw(limits.samples, f"{rule.when}|{rule.if_}|{rule.then}")
    if not len(drawn):
        return None
    deciding = Deciding(laid_out, answers)
    outcomes: Outcomes = Counter()
    violations: set[tuple[int, ...]] = set()
    for groups in map(tuple, drawn.tolist()):
        outcome = deciding.outcome(groups)
        outcomes[outcome] += 1
        if outcome == "violated" and len(violations) < limits.examples * 100:
            violations.add(groups)
        if deciding.steps > limits.sample_steps:
            break
    number = outcomes.total()
    low, high = interval(outcomes["violated"], number)
    share = outcomes["violated"] / number
    estimate = Estimate(sampled=number, candidates=candidates.number, violated=share, low=low, high=high)
    return Sampled(estimate, outcomes, sorted(violations)[: limits.examples])


class Deciding:
    """A rule's conditions over cells, decided one tuple of groups at a time."""

    def __init__(self, laid_out: Plan, answers: Answers) -> None:
        self._columns = {column.name: column for column in laid_out.columns}
        self._scene = Scene((), answers)
        self._known: dict[tuple[int, ...], str] = {}
        self.steps = 0
        self._conditions = [(part, *self._over_cells(part.node)) for part in laid_out.conditions]

    def _over_cells(self, node: ast.expr) -> tuple[Term, list[tuple[int, Column]]]:
        used: list[tuple[int, Column]] = []

        def cell(unit: ast.expr, at: int) -> ast.expr:
            column = self._columns[ast.dump(rebased(unit))]
            used.append((at, column))
            return Cell(at, column.name)

        return closure(with_units(node, cell)), used

    def outcome(self, groups: tuple[int, ...]) -> str:
        """How the rule comes out."""
        if groups not in self._known:
            self._known[groups] = self._decided(groups)
        return self._known[groups]

    def _decided(self, groups: tuple[int, ...]) -> str:
        for part, term, used in self._conditions:
            self._scene.cells = {(at, column.name): column.values[column.codes[groups[at]]] for at, column in used}
            value: Any = evaluate(term, self._scene)
            self.steps += _A_CONDITION + STEPS - self._scene.steps
            if type(value) is Failure:
                return f"no_model_{part.clause}" if isinstance(value.error, NeedsModel) else f"error_{part.clause}"
            if not (value == True if part.exactly else value):  # noqa: E712 - 1 is as good as True, "yes" is not
                return "violated" if part.clause == "then" else "not_applicable"
        return "satisfied"


def rows_of(groups: tuple[int, ...], of_row: Ints) -> tuple[int, ...]:
    """Different conversations, the first there are, that belong to these groups."""
    rows: list[int] = []
    for group in groups:
        rows.append(next(int(row) for row in (of_row == group).nonzero()[0] if int(row) not in rows))
    return tuple(rows)
