"""Findings of rules that are too complex to count: by enumeration, or else from a random sample.

Samples are drawn uniformly from the tuples that satisfy the required equalities. The seed comes from the text of the
rule, so an estimate repeats.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from math import perm
from typing import Any

import numpy as np

from sparring.core.verdict import CaseTuples, Cause, CheckOutcome, Finding, Offender, ViolationEstimate
from sparring.rules.count.comparison_tree import Edge, Ends, joint_codes, sum_along, tree_of
from sparring.rules.count.counting import allowed, dot
from sparring.rules.count.examples import ExampleFormatter, case_tuples, with_rate
from sparring.rules.count.plan import NESTED_QUANTIFIERS, Plan
from sparring.rules.count.predicates import Equal, Mask, Problem
from sparring.rules.evaluate.calls import EvaluationContext, Term, evaluate
from sparring.rules.evaluate.columns import Column, ColumnSet, Ints
from sparring.rules.evaluate.compiled_rule import rebase, with_units
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.evaluate.decisions import CONDITIONS, case_of, with_outcome
from sparring.rules.evaluate.model_questions import ModelAnswers
from sparring.rules.limits import MAX_STEPS, EvaluationLimits
from sparring.rules.undecided import Failure, NeedsModel, is_missing
from sparring.statistics.beta import binomial_bounds


class Candidates:
    """Tuples that satisfy the equalities and single-conversation conditions of `when` and `if`."""

    def __init__(self, rule_plan: Plan) -> None:
        self._sizes = rule_plan.groups.sizes
        self._positions = rule_plan.positions
        problem = _required_predicates(rule_plan)
        equal = [predicate for predicate in problem if isinstance(predicate, Equal)]
        self._rows = [allowed(at, problem, len(self._sizes)) for at in range(self._positions)]
        self._tree: dict[Ends, Edge] = tree_of(self._positions, equal, []) or {}
        self._ways: dict[int, Ints] = {}
        self._order: list[tuple[int, int | None, Edge | None]] = []
        for at in range(self._positions):
            if at not in self._ways:
                self._reach(at, None, None)

    def _reach(self, at: int, parent: int | None, edge: Edge | None) -> None:
        """Append the drawing order of positions, and count the completions below each."""
        self._order.append((at, parent, edge))
        self._ways[at] = np.ones(len(self._rows[at]), np.int64)
        for (one, other), link in self._tree.items():
            child = other if one == at else one if other == at else None
            if child is not None and child != parent:
                self._reach(child, at, link)
                below = self._ways[child] * self._sizes[self._rows[child]]
                self._ways[at] = self._ways[at] * sum_along(link, at, self._rows[at], self._rows[child], below)

    @property
    def number(self) -> int:
        """Number of candidates, including tuples that repeat a conversation."""
        roots = [at for at, parent, _ in self._order if parent is None]
        found = 1
        for at in roots:
            found *= dot(self._ways[at], self._sizes[self._rows[at]])
        return found

    def draw(self, number: int, seed: str) -> tuple[Ints, Ints]:
        """Draw `number` candidates, as groups and members of them.

        Those that repeat a conversation are dropped.
        """
        random = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))
        groups = np.zeros((number, self._positions), np.int64)
        for at, parent, edge in self._order:
            of_parent = groups[:, parent] if parent is not None else np.zeros(number, np.int64)
            groups[:, at] = self._drawn(at, parent, edge, of_parent, random)
        members = (random.random(groups.shape) * self._sizes[groups]).astype(np.int64)
        repeated = np.zeros(number, np.bool_)
        for one in range(self._positions):
            for other in range(one):
                repeated |= (groups[:, one] == groups[:, other]) & (members[:, one] == members[:, other])
        return groups[~repeated], members[~repeated]

    def _drawn(
        self, at: int, parent: int | None, edge: Edge | None, of_parent: Ints, random: np.random.Generator
    ) -> Ints:
        rows = self._rows[at]
        weights = (self._ways[at] * self._sizes[rows]).astype(np.float64)
        pairs = _pairs(edge, parent, of_parent, rows) if edge is not None and parent is not None else []
        wanted, keys = joint_codes(pairs, len(of_parent), len(rows))
        order = np.argsort(keys, kind="stable")
        running = np.concatenate([[0.0], np.cumsum(weights[order])])
        begin = np.searchsorted(keys[order], wanted, "left")
        end = np.searchsorted(keys[order], wanted, "right")
        luck = running[begin] + random.random(len(wanted)) * (running[end] - running[begin])
        place = np.clip(np.searchsorted(running, luck, "right") - 1, begin, end - 1)
        drawn: Ints = rows[order[place]]
        return drawn


def _pairs(edge: Edge, parent: int, of_parent: Ints, rows: Ints) -> list[tuple[Ints, Ints]]:
    return [(a[of_parent], b[rows]) if one == parent else (b[of_parent], a[rows]) for one, a, _, b in edge.equal]


def _required_predicates(rule_plan: Plan) -> Problem:
    """Return predicates that hold in every tuple the rule applies to."""
    found: list[Equal | Mask] = []
    for part, atom in zip(rule_plan.conditions, rule_plan.atoms, strict=True):
        if part.clause != "then" and len(atom.true) == 1:
            found += [predicate for predicate in atom.true[0][1] if isinstance(predicate, Equal | Mask)]
    return tuple(found)


Outcomes = Counter[str]
_CONDITION_COST = 10
_APPLICABLE = ("satisfied", "violated", "error_then", "no_model_then")


@dataclass(frozen=True, slots=True)
class SampleEstimate:
    """Outcomes of a sample by name (`error_when`, `violated`, ...), and the first violations as groups."""

    estimate: ViolationEstimate
    outcomes: Outcomes
    violations: list[tuple[int, ...]]
    by_case: Mapping[str, Counter[str]]

    def of_all(self, outcome: str) -> int:
        """Return the extrapolated number of candidates with this outcome."""
        return self.extrapolated(self.outcomes[outcome])

    def extrapolated(self, count: int) -> int:
        """Return the number of candidates for a number in the sample."""
        return round(count / self.estimate.sampled * self.estimate.candidates)

    def tuples_by_case(self) -> CaseTuples:
        """Return the extrapolated numbers of violated and applicable tuples of each case."""
        return case_tuples(
            {
                case: (self.extrapolated(seen["violated"]), self.extrapolated(sum(seen[each] for each in _APPLICABLE)))
                for case, seen in self.by_case.items()
            }
        )


def sample(rule_plan: Plan, columns: ColumnSet, limits: EvaluationLimits) -> SampleEstimate | None:
    """Draw and decide a sample of candidates; None if there are no candidates."""
    candidates, cases = Candidates(rule_plan), columns.cases
    rule = rule_plan.compiled.rule
    if not candidates.number:
        return None
    drawn, members = candidates.draw(limits.samples, f"{rule.when}|{rule.if_}|{rule.then}")
    if not len(drawn):
        return None
    evaluator = TupleEvaluator(rule_plan, columns.answers)
    outcomes: Outcomes = Counter()
    violations: set[tuple[int, ...]] = set()
    by_case: dict[str, Counter[str]] = {case: Counter() for case in cases}
    order, starts = rule_plan.groups.of_row.argsort(kind="stable"), rule_plan.groups.sizes.cumsum()
    rows = order[(starts - rule_plan.groups.sizes)[drawn] + members]
    for groups, places in zip(map(tuple, drawn.tolist()), rows.tolist(), strict=True):
        outcome = evaluator.outcome(groups)
        outcomes[outcome] += 1
        for case in {cases[row] for row in places}:
            by_case[case][outcome] += 1
        if outcome == "violated" and len(violations) < limits.examples * 100:
            violations.add(groups)
        if evaluator.steps > limits.sample_steps:
            break
    number = outcomes.total()
    share = outcomes["violated"] / number
    low, high = binomial_bounds(share, number, 0.025)
    estimate = ViolationEstimate(sampled=number, candidates=candidates.number, violated=share, low=low, high=high)
    return SampleEstimate(estimate, outcomes, sorted(violations)[: limits.examples], by_case)


class TupleEvaluator:
    """Decides a rule for tuples of groups, one at a time, with cached outcomes."""

    def __init__(self, rule_plan: Plan, answers: ModelAnswers) -> None:
        self._columns = {column.name: column for column in rule_plan.columns}
        self._context = EvaluationContext((), answers)
        self._known: dict[tuple[int, ...], str] = {}
        self.steps = 0
        self._conditions = [(part, *self._over_cells(part.node)) for part in rule_plan.conditions]

    def _over_cells(self, node: ast.expr) -> tuple[Term, list[tuple[int, Column]]]:
        used: list[tuple[int, Column]] = []

        def cell(unit: ast.expr, at: int) -> ast.expr:
            column = self._columns[ast.dump(rebase(unit))]
            used.append((at, column))
            return CompiledExpression(at, column.name)

        return closure(with_units(node, cell)), used

    def outcome(self, groups: tuple[int, ...]) -> str:
        """Return the name of the outcome for a tuple of groups."""
        if groups not in self._known:
            self._known[groups] = self._decided(groups)
        return self._known[groups]

    def _decided(self, groups: tuple[int, ...]) -> str:
        for part, term, used in self._conditions:
            self._context.cells = {(at, column.name): column.values[column.codes[groups[at]]] for at, column in used}
            value: Any = evaluate(term, self._context)
            self.steps += _CONDITION_COST + MAX_STEPS - self._context.steps
            if type(value) is Failure:
                if is_missing(value):
                    return "not_applicable"
                return f"no_model_{part.clause}" if isinstance(value.error, NeedsModel) else f"error_{part.clause}"
            if not (value == True if part.exactly else value):  # noqa: E712 - 1 equals True, "yes" does not
                return "violated" if part.clause == "then" else "not_applicable"
        return "satisfied"


def first_rows(groups: tuple[int, ...], of_row: Ints) -> tuple[int, ...]:
    """Return the first distinct conversations that belong to these groups."""
    rows: list[int] = []
    for group in groups:
        rows.append(next(int(row) for row in (of_row == group).nonzero()[0] if int(row) not in rows))
    return tuple(rows)


@dataclass(slots=True)
class EnumerationResult:
    """Outcomes of all tuples, the first violations, and counts for each conversation."""

    outcomes: Outcomes = field(default_factory=Counter)
    violations: list[tuple[int, ...]] = field(default_factory=list)
    violated: Counter[int] = field(default_factory=Counter)
    applicable: Counter[int] = field(default_factory=Counter)
    violated_by_case: Counter[str] = field(default_factory=Counter)
    applicable_by_case: Counter[str] = field(default_factory=Counter)


def enumerate_all(rule_plan: Plan, columns: ColumnSet, shown: int) -> EnumerationResult:
    """Decide every ordered tuple of distinct conversations."""
    evaluator, seen = TupleEvaluator(rule_plan, columns.answers), EnumerationResult()
    of_row, cases = rule_plan.groups.of_row.tolist(), columns.cases
    for rows in permutations(range(len(cases)), rule_plan.positions):
        outcome = evaluator.outcome(tuple([of_row[row] for row in rows]))
        seen.outcomes[outcome] += 1
        if outcome in _APPLICABLE:
            seen.applicable.update(rows)
            seen.applicable_by_case.update({cases[row] for row in rows})
        if outcome == "violated":
            seen.violated.update(rows)
            seen.violated_by_case.update({cases[row] for row in rows})
            if len(seen.violations) < shown:
                seen.violations.append(rows)
    return seen


def finding_with_counts(rule_plan: Plan, formatter: ExampleFormatter, number: Callable[[str], int]) -> Finding:
    """Return a finding with the `number` of tuples of each event, and those derived from them."""
    rule, total = rule_plan.compiled.rule, perm(len(formatter.columns.ids), rule_plan.positions)
    errors, no_model = ({each: number(f"{kind}_{each}") for each in CONDITIONS} for kind in ("error", "no_model"))
    satisfied, violated = number("satisfied"), number("violated")
    applicable = satisfied + violated + errors["then"] + no_model["then"]
    left_out = max(total - applicable - sum(errors[c] + no_model[c] for c in ("when", "if")), 0)
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
    )


def finding_without_counting(rule_plan: Plan, formatter: ExampleFormatter, limits: EvaluationLimits) -> Finding:
    """Return the finding of a rule whose exact count would take too long."""
    ids = formatter.columns.ids
    few = perm(len(ids), rule_plan.positions) <= limits.samples
    found = _enumerated(rule_plan, formatter, limits) if few else _sampled(rule_plan, formatter, limits)
    rule = rule_plan.compiled.rule
    if rule.quantifier in NESTED_QUANTIFIERS:
        why = f"too many tuples to enumerate for 'quantifier: {rule.quantifier}'"
        cause = Cause(clause="then", reason=why, conversations=len(ids), first=ids[0])
        return found.model_copy(update={"judged": CheckOutcome.ERROR, "causes": (cause,)})
    return with_outcome(rule, found, len(set(map(case_of, ids))))


def _enumerated(rule_plan: Plan, formatter: ExampleFormatter, limits: EvaluationLimits) -> Finding:
    seen = enumerate_all(rule_plan, formatter.columns, limits.examples)
    found = finding_with_counts(rule_plan, formatter, seen.outcomes.__getitem__)
    examples = tuple(formatter.example(rows) for rows in seen.violations)
    by_case = {case: (seen.violated_by_case[case], seen.applicable_by_case[case]) for case in formatter.columns.cases}
    culprits = tuple(_culprits(seen, formatter.columns.ids, limits))
    update = {"examples": examples, "culprits": culprits, "by_case": case_tuples(by_case)}
    return with_rate(rule_plan.compiled.rule, found.model_copy(update=update), formatter.columns.cases)


def _culprits(seen: EnumerationResult, ids: list[str], limits: EvaluationLimits) -> Iterator[Offender]:
    def share(row: int) -> tuple[float, int, int]:
        return -seen.violated[row] / seen.applicable[row], -seen.violated[row], row

    for row in sorted(seen.violated, key=share)[: limits.culprits]:
        yield Offender(conversation=ids[row], violated=seen.violated[row], applicable=seen.applicable[row])


def _sampled(rule_plan: Plan, formatter: ExampleFormatter, limits: EvaluationLimits) -> Finding:
    drawn = sample(rule_plan, formatter.columns, limits)
    if drawn is None:
        return finding_with_counts(rule_plan, formatter, lambda outcome: 0)
    found = finding_with_counts(rule_plan, formatter, drawn.of_all)
    examples = (formatter.example(first_rows(groups, rule_plan.groups.of_row)) for groups in drawn.violations)
    update = {"examples": tuple(examples), "estimate": drawn.estimate, "by_case": drawn.tuples_by_case()}
    return with_rate(rule_plan.compiled.rule, found.model_copy(update=update), formatter.columns.cases)
