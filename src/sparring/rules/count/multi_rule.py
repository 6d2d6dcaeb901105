"""Rules over two or more conversations, and over all of them. Needs NumPy; rules over one do not."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from sparring.core.verdict import Finding
from sparring.rules.count.counting import OverBudget
from sparring.rules.count.estimation import finding_with_counts, finding_without_counting
from sparring.rules.count.examples import (
    ExampleFormatter,
    applicable_cases,
    causes,
    first_tuples,
    missing_names,
    offenders,
    tuples_by_case,
    with_rate,
)
from sparring.rules.count.plan import NESTED_QUANTIFIERS, EventCounts, Plan, conditions, plan, with_quantifier
from sparring.rules.evaluate import aggregate_rule
from sparring.rules.evaluate.columns import ColumnSet
from sparring.rules.evaluate.compiled_rule import CompiledRule, rebase, units
from sparring.rules.evaluate.decisions import source_of, with_outcome
from sparring.rules.evaluate.model_questions import ModelQuestion
from sparring.rules.evaluate.required_columns import RequiredColumns
from sparring.rules.limits import EvaluationLimits


def require_tuple_columns(compiled: CompiledRule, required: RequiredColumns) -> None:
    """Register every column that a rule over tuples needs of each conversation."""
    trees = [*(part.node for part in conditions(compiled)), *compiled.trees.values()]
    for tree in trees:
        for node, _ in units(tree):
            required.add(rebase(node))


async def finding(compiled: CompiledRule, columns: ColumnSet, limits: EvaluationLimits) -> Finding:
    """Return the finding of a rule, asking the model until every question is answered."""
    find = aggregate_rule.finding if compiled.rule.conversations == "all" else _of_tuples
    while isinstance(found := find(compiled, columns, limits), list):
        await columns.answers.ask(found)
    return found


def _of_tuples(compiled: CompiledRule, columns: ColumnSet, limits: EvaluationLimits) -> Finding | list[ModelQuestion]:
    """Return the finding of a rule over tuples, or the questions that a model must answer first."""
    rule_plan = plan(compiled, columns)
    if rule_plan.open_questions:
        return rule_plan.open_questions
    found = count_or_estimate(rule_plan, ExampleFormatter(compiled, columns), limits)
    if questions := open_questions(rule_plan):
        return questions
    by_repeat = tuple(_by_repeat(compiled, columns, limits))
    return found.model_copy(update={"by_repeat": by_repeat}) if by_repeat else found


def _by_repeat(compiled: CompiledRule, columns: ColumnSet, limits: EvaluationLimits) -> Iterator[bool | None]:
    """Yield for each repeat if a rule with a quantifier is violated over its conversations.

    Its outcome is one observation of all conversations together, like that of a rule over all.
    """
    for repeat in aggregate_rule.repeats_apart(columns.required) if compiled.rule.quantifier != "forall" else ():
        some = ColumnSet(columns.required, columns.answers, np.flatnonzero(repeat))
        found = count_or_estimate(plan(compiled, some), ExampleFormatter(compiled, some), replace(limits, examples=0))
        yield aggregate_rule.VIOLATED.get(found.outcome)


def open_questions(rule_plan: Plan) -> list[ModelQuestion]:
    """Return questions to a model that came up while counting."""
    residuals = (atom.residual for atom in rule_plan.atoms if atom.residual is not None)
    return [question for residual in residuals for question in residual.open_questions]


def count_or_estimate(rule_plan: Plan, formatter: ExampleFormatter, limits: EvaluationLimits) -> Finding:
    """Return the exact counts of a rule, or an estimate if counting exceeds the candidate budget."""
    tally = EventCounts(rule_plan, limits.candidates)
    try:
        return _exact(rule_plan, tally, formatter, limits)
    except OverBudget:
        return finding_without_counting(rule_plan, formatter, limits)


def _exact(rule_plan: Plan, tally: EventCounts, formatter: ExampleFormatter, limits: EvaluationLimits) -> Finding:
    found = finding_with_counts(rule_plan, formatter, tally.number)
    violated, applicable = found.violated, found.applicable
    undecided = sum(found.errors.values()) + found.needs_model
    ids = formatter.columns.ids
    first = first_tuples(rule_plan.events["violated"], tally.people, rule_plan.groups.of_row, tally.at("violated", 0))
    found = found.model_copy(
        update={
            "examples": tuple(formatter.example(rows) for rows in islice(first, limits.examples)) if violated else (),
            "culprits": tuple(offenders(rule_plan, tally, ids, limits.culprits)) if violated else (),
            "causes": causes(rule_plan, tally, formatter) if undecided else (),
            "missing": missing_names(rule_plan, tally, formatter),
            "by_case": tuples_by_case(rule_plan, formatter, limits.candidates) if applicable else None,
            "removed_by": "" if applicable or undecided else _removed_by(rule_plan, tally),
        }
    )
    rule = rule_plan.compiled.rule
    found = with_rate(rule, found, formatter.columns.cases)
    if rule.quantifier in NESTED_QUANTIFIERS:
        return with_quantifier(rule, found, tally)
    return with_outcome(rule, found, applicable_cases(rule_plan, tally, ids) if rule.confidence else 0)


def _removed_by(rule_plan: Plan, tally: EventCounts) -> str:
    """Return the first condition that no tuple passes."""
    for number, part in enumerate(rule_plan.conditions):
        if part.clause != "then" and not tally.passing(number):
            return f"{part.clause}: {source_of(part.node)}"
    return ""


def require_columns(compiled: CompiledRule, required: RequiredColumns) -> None:
    """Register every column that the rule needs of each conversation."""
    if compiled.rule.conversations == "all":
        aggregate_rule.require_columns(compiled, required)
    else:
        require_tuple_columns(compiled, required)
