"""Counts of a plan's events, by group and in total, and outcomes of nested quantifiers."""

from typing import Literal

import numpy as np

from sparring.core.checks import Rule
from sparring.core.verdict import CheckOutcome, Finding
from sparring.rules.count.counting import CandidateBudget, Population, count, count_at, dot
from sparring.rules.count.plan import Plan
from sparring.rules.count.predicates import Signed
from sparring.rules.evaluate.columns import Ints
from sparring.rules.evaluate.decisions import ConditionClause

Event = Literal[
    "applicable", "satisfied", "error when", "error if", "error then", "no model when", "no model if", "no model then"
]
_UNDECIDED: tuple[Event, ...] = (
    "error when",
    "error if",
    "error then",
    "no model when",
    "no model if",
    "no model then",
)
_CLAUSES: tuple[ConditionClause, ...] = ("when", "if", "then")


class EventCounts:
    """Counts of one rule's events, computed on first use."""

    def __init__(self, rule_plan: Plan, candidates: int) -> None:
        self._plan = rule_plan
        self._found: dict[tuple[Event, int], Ints] = {}
        self.people = Population(rule_plan.groups.sizes, rule_plan.positions, CandidateBudget(candidates))

    def at(self, event: Event, position: int) -> Ints:
        """Return for each group the number of such tuples with one conversation of it at a position."""
        key = (event, position)
        if key not in self._found:
            self._found[key] = count_at(position, self._problems(event), self.people)
        return self._found[key]

    def violated_at(self, position: int) -> Ints:
        """Return the same for violations: applicable tuples that neither satisfy `then` nor fail in it."""
        undecided = self.at("error then", position) + self.at("no model then", position)
        return self.at("applicable", position) - self.at("satisfied", position) - undecided

    def anywhere(self, event: Event | Literal["violated"]) -> Ints:
        """Return for each group the number of such tuples with one conversation of it at any position."""
        found = np.zeros(len(self.people.sizes), np.int64)
        for position in range(self._plan.positions):
            found += self.violated_at(position) if event == "violated" else self.at(event, position)
        return found

    def undecided_at(self, position: int) -> Ints:
        """Return for each group the number of undecided tuples with one conversation of it at a position."""
        found = np.zeros(len(self.people.sizes), np.int64)
        for event in _UNDECIDED:
            found += self.at(event, position)
        return found

    def number(self, event: Event) -> int:
        """Return the number of tuples of an event."""
        return dot(self.at(event, 0), self.people.sizes)

    def errors(self) -> dict[ConditionClause, int]:
        """Return the number of tuples with an error in each clause."""
        return {"when": self.number("error when"), "if": self.number("error if"), "then": self.number("error then")}

    def no_model(self) -> dict[ConditionClause, int]:
        """Return the number of tuples that need a model in each clause."""
        return {
            "when": self.number("no model when"),
            "if": self.number("no model if"),
            "then": self.number("no model then"),
        }

    def passing(self, condition: int) -> int:
        """Return the number of tuples that pass a condition."""
        return count(self._plan.events.passing[condition], self.people)

    def _problems(self, event: Event) -> Signed:
        events = self._plan.events
        if event == "applicable":
            return events.applicable
        if event == "satisfied":
            return events.satisfied
        kind, _, clause = event.rpartition(" ")
        by_clause = events.errors if kind == "error" else events.no_model
        return next(by_clause[each] for each in _CLAUSES if each == clause)


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
        clean = applicable & (tally.violated_at(0) == 0)
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
