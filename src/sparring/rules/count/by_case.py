"""Violated and applicable tuples of a rule, by case."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np

from sparring.core.checks import Rule
from sparring.core.verdict import CaseTuples, Finding
from sparring.rules.count.counting import CandidateBudget, OverBudget, Population, count_at
from sparring.rules.count.examples import ExampleFormatter
from sparring.rules.count.plan import Plan, plan
from sparring.rules.count.predicates import Equal, Signed
from sparring.rules.evaluate.columns import Column, Ints
from sparring.statistics.rates import Tuples, tuple_rate


def tuples_by_case(rule_plan: Plan, formatter: ExampleFormatter, candidates: int) -> CaseTuples | None:
    """Return the tuples of each case; None if counting them takes too many candidates."""
    names = list(dict.fromkeys(formatter.columns.cases))
    number = {name: code for code, name in enumerate(names)}
    case = Column("case", np.array([number[name] for name in formatter.columns.cases], np.int64), names)
    by_case = rule_plan
    if len(names) < len(formatter.columns.cases):
        by_case = plan(rule_plan.compiled, formatter.columns, case)
    counting = _Counting(by_case, case, candidates)
    try:
        violated, applicable = (counting.touching(by_case.events[each]) for each in ("violated", "applicable"))
    except OverBudget:
        return None
    return case_tuples(dict(zip(names, zip(violated, applicable, strict=True), strict=True)))


class _Counting:
    """Counts the tuples with a conversation of each case, each tuple once."""

    def __init__(self, by_case: Plan, case: Column, candidates: int) -> None:
        self._plan, self._cases = by_case, len(case.values)
        self._of_row = case.codes
        self._repeated = len(case.values) < len(case.codes)
        self._of_group = case.of(by_case.groups.first).codes
        self._people = Population(by_case.groups.sizes, by_case.positions, CandidateBudget(candidates))

    def touching(self, problems: Signed) -> list[int]:
        """Return the number of tuples with at least one conversation of each case, by inclusion and exclusion."""
        found = [0] * self._cases
        positions = range(self._plan.positions)
        for size in range(1, len(positions) + 1 if self._repeated else 2):
            for some in combinations(positions, size):
                for case, count in enumerate(self._within(problems, some)):
                    found[case] += count if size % 2 else -count
        return found

    def _within(self, problems: Signed, some: tuple[int, ...]) -> list[int]:
        """Return the number of tuples with conversations of one case at all of these positions."""
        first, *others = some
        alike = tuple(Equal(first, self._of_group, other, self._of_group) for other in others)
        counts = count_at(first, problems, self._people, alike)
        sums = np.zeros(self._cases, object if _large(counts, self._of_row) else np.int64)
        np.add.at(sums, self._of_row, counts[self._plan.groups.of_row])
        return [int(each) for each in sums]


def _large(counts: Ints, rows: Ints) -> bool:
    return bool(len(counts)) and int(np.abs(counts).max()) * len(rows) >= 2**62


def with_rate(rule: Rule, found: Finding, cases: Iterable[str]) -> Finding:
    """Return a finding with the interval of its rate, if decided tuples are counted and all have to hold.

    `cases` are those of the conversations.
    """
    if found.by_case is None or rule.quantifier != "forall" or found.satisfied + found.violated < found.applicable:
        return found
    counts = [touching for touching in map(found.by_case.of, dict.fromkeys(cases)) if touching[1]]
    rate = tuple_rate(Tuples(found.violated, found.applicable, counts, found.drawn))
    return found.model_copy(update={"rate": rate})


def case_tuples(found: Mapping[str, tuple[int, int]]) -> CaseTuples:
    """Return the numbers by case, with the most frequent ones written once."""
    ((others, _),) = Counter(found.values()).most_common(1) or [((0, 0), 0)]
    return CaseTuples(others=others, counts={case: each for case, each in found.items() if each != others})
