"""Counts of a plan's events, by group and in total, and outcomes of nested quantifiers."""

import numpy as np

from sparring.core.checks import Rule
from sparring.core.verdict import CheckOutcome, Finding
from sparring.rules.count.counting import CandidateBudget, Population, count, count_at, dot
from sparring.rules.count.plan import Plan
from sparring.rules.evaluate.columns import Ints


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
