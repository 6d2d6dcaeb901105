"""What becomes of all tuples under a plan, in numbers: for each group of conversations and in all.

Rules that ask for one conversation for each, or for one that goes with all.
"""

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
    """The counts of one rule; each is worked out once, when it is first asked for."""

    def __init__(self, rule_plan: Plan, candidates: int) -> None:
        self._plan = rule_plan
        self._found: dict[tuple[Event, int], Ints] = {}
        self.people = Population(rule_plan.groups.sizes, rule_plan.positions, CandidateBudget(candidates))

    def at(self, event: Event, position: int) -> Ints:
        """For each group, in how many such tuples one conversation of it stands at a position."""
        key = (event, position)
        if key not in self._found:
            self._found[key] = count_at(position, self._problems(event), self.people)
        return self._found[key]

    def violated_at(self, position: int) -> Ints:
        """The same for violations: what applies and neither holds nor fails."""
        undecided = self.at("error then", position) + self.at("no model then", position)
        return self.at("applicable", position) - self.at("satisfied", position) - undecided

    def anywhere(self, event: Event | Literal["violated"]) -> Ints:
        """For each group, in how many such tuples one conversation of it is, at whatever position."""
        found = np.zeros(len(self.people.sizes), np.int64)
        for position in range(self._plan.positions):
            found += self.violated_at(position) if event == "violated" else self.at(event, position)
        return found

    def undecided_at(self, position: int) -> Ints:
        """For each group, in how many tuples that could not be decided one conversation of it stands at a position."""
        found = np.zeros(len(self.people.sizes), np.int64)
        for event in _UNDECIDED:
            found += self.at(event, position)
        return found

    def number(self, event: Event) -> int:
        """How many such tuples there are."""
        return dot(self.at(event, 0), self.people.sizes)

    def errors(self) -> dict[ConditionClause, int]:
        """How many tuples fail in each clause."""
        return {"when": self.number("error when"), "if": self.number("error if"), "then": self.number("error then")}

    def no_model(self) -> dict[ConditionClause, int]:
        """How many tuples need a model in each clause."""
        return {
            "when": self.number("no model when"),
            "if": self.number("no model if"),
            "then": self.number("no model then"),
        }

    def passing(self, condition: int) -> int:
        """How many tuples get past a condition."""
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
    """The finding with its outcome, read off what each conversation has at the first position.

    `forall exists`: each that the rule applies to has a tuple that satisfies it. `exists forall`: some has only such.
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
