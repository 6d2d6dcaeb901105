"""Examples of counted tuples, offenders, causes of undecided tuples, and counts by case."""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np

from sparring.core.checks import Rule
from sparring.core.verdict import CaseTuples, Cause, Example, Finding, Offender
from sparring.rules.count.counting import CandidateBudget, OverBudget, Population, count, count_at
from sparring.rules.count.plan import EventCounts, Plan, plan
from sparring.rules.count.predicates import Equal, Mask, Problem, Signed
from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.columns import Column, ColumnSet, Ints
from sparring.rules.evaluate.compiled_rule import CompiledRule, rebase, with_units
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.evaluate.decisions import CONDITIONS, Causes, ConditionClause, case_of, violation_reason
from sparring.rules.undecided import Failure, is_missing
from sparring.statistics.rates import Tuples, tuple_rate

Rows = tuple[int, ...]


def first_tuples(problems: Signed, people: Population, of_row: Ints, first: Ints | None = None) -> Iterator[Rows]:
    """Yield the tuples of conversations that the problems count, in lexicographic order.

    `first` are the counts at position 0, if they are known already.
    """
    yield from _extend(problems, people, of_row, (), (), first)


def _extend(
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
        yield from _extend(problems, people, of_row, (*begun, row), (*fixed, Mask(at, only)))


@dataclass(frozen=True, slots=True)
class ExampleFormatter:
    """Formats examples of tuples from the collected columns."""

    compiled: CompiledRule
    columns: ColumnSet

    def example(self, rows: Rows) -> Example:
        """Return the example of a violating tuple, with its reason."""
        reason = violation_reason(self.compiled, lambda node: self.value(node, rows))
        return Example(conversations=tuple(self.columns.ids[row] for row in rows), reason=reason)

    def value(self, node: ast.expr, rows: Rows) -> Any:
        """Return the value of an expression for these conversations, or a Failure."""
        context = EvaluationContext((), self.columns.answers)

        def cell(unit: ast.expr, at: int) -> ast.expr:
            name = ast.dump(unit)
            context.cells[at, name] = self.columns.value(rebase(unit), rows[at])
            return CompiledExpression(at, name)

        return evaluate(closure(with_units(node, cell)), context)


def offenders(rule_plan: Plan, tally: EventCounts, ids: list[str], shown: int) -> Iterator[Offender]:
    """Yield the conversations with the largest share of violating tuples."""
    violated, applicable = tally.anywhere("violated"), tally.anywhere("applicable")
    rate = violated / np.maximum(applicable, 1)
    of_row = rule_plan.groups.of_row
    order = np.lexsort((-violated[of_row], -rate[of_row]))
    for row in order[:shown].tolist():
        group = of_row[row]
        if violated[group] > 0:
            yield Offender(conversation=ids[row], violated=int(violated[group]), applicable=int(applicable[group]))


def applicable_cases(rule_plan: Plan, tally: EventCounts, ids: Sequence[str]) -> int:
    """Return the number of cases with a conversation in an applicable tuple."""
    applicable = tally.anywhere("applicable") > 0
    return len({case_of(id) for id, group in zip(ids, rule_plan.groups.of_row, strict=True) if applicable[group]})


def causes(rule_plan: Plan, tally: EventCounts, formatter: ExampleFormatter) -> tuple[Cause, ...]:
    """Return causes of undecided tuples: missing values, else the error of the first such tuple."""
    found = Causes()
    for clause in CONDITIONS:
        undecided = [*rule_plan.events[f"error_{clause}"], *rule_plan.events[f"no_model_{clause}"]]
        if undecided and not _add_failures(clause, rule_plan, formatter, found, _is_error):
            _add_first_tuple(clause, undecided, rule_plan, tally, formatter, found)
    return found.most_frequent()


def missing_names(rule_plan: Plan, tally: EventCounts, formatter: ExampleFormatter) -> tuple[Cause, ...]:
    """Return the names that conversations lack in tuples to which the rule therefore does not apply."""
    found = Causes()
    for clause in CONDITIONS:
        problems = rule_plan.events[f"missing_{clause}"]
        if problems and count(problems, tally.people):
            _add_failures(clause, rule_plan, formatter, found, is_missing)
    return found.most_frequent()


def _is_error(value: object) -> bool:
    return type(value) is Failure and not is_missing(value)


def _add_failures(
    clause: ConditionClause,
    rule_plan: Plan,
    formatter: ExampleFormatter,
    found: Causes,
    wanted: Callable[[object], bool],
) -> bool:
    """Add each conversation with a wanted failure in place of a value. Return True if there is any."""
    seen: set[tuple[int, str]] = set()
    for column in rule_plan.columns_of(clause):
        for group in np.flatnonzero(column.where(wanted)).tolist():
            error = column.values[column.codes[group]].error
            if (group, str(error)) not in seen:
                seen.add((group, str(error)))
                times = int(rule_plan.groups.sizes[group])
                found.note(clause, error, formatter.columns.ids[rule_plan.groups.first[group]], times)
    return bool(seen)


def _add_first_tuple(
    clause: ConditionClause,
    undecided: Signed,
    rule_plan: Plan,
    tally: EventCounts,
    formatter: ExampleFormatter,
    found: Causes,
) -> None:
    for rows in islice(first_tuples(undecided, tally.people, rule_plan.groups.of_row), 1):
        values = [formatter.value(part.node, rows) for part in rule_plan.conditions if part.clause == clause]
        for failure in (value for value in values if isinstance(value, Failure)):
            found.note(clause, failure.error, " and ".join(formatter.columns.ids[row] for row in rows))
            return


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
                for case, number in enumerate(self._within(problems, some)):
                    found[case] += number if size % 2 else -number
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
