"""Changes of rules over several conversations, whose tuples share conversations."""

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from sparring.core.checks import Rule
from sparring.core.verdict import CaseTuples, Finding
from sparring.reports.comparison import SIGNIFICANT, RuleChange
from sparring.statistics.families import holm

_REPEATS = 4
"""Repeats in each batch that it takes for a test of a rule over all conversations."""


class RuleSide(NamedTuple):
    """Rules of one batch, their findings, and the cases that have a conversation."""

    rules: Sequence[Rule]
    findings: Sequence[Finding]
    cases: set[str]


def rule_changes(
    before: RuleSide, after: RuleSide, *, replayed: Container[str] = (), deterministic: bool = False
) -> tuple[RuleChange, ...]:
    """Return the changes of rules that ask for the same in both batches, adjusted for their number."""
    found = list(_changes(before, after))
    adjusted = holm([each.p for each, _ in found], alpha=SIGNIFICANT, attainable=[least for _, least in found])
    return tuple(
        change.changed(
            adjusted_p=p,
            direction="not told" if p >= SIGNIFICANT else "worse" if change.change > 0 else "better",
            evidence="replayed" if change.rule in replayed else "deterministic" if deterministic else "",
        )
        for (change, _), p in zip(found, adjusted, strict=True)
    )


def _changes(before: RuleSide, after: RuleSide) -> Iterator[tuple[RuleChange, float]]:
    """Yield the change of each rule, and the smallest p-value that its test could have given."""
    asked = {rule.name: _asks(rule) for rule in before.rules}
    same = {rule.name: rule for rule in after.rules if asked.get(rule.name) == _asks(rule)}
    earlier = {finding.rule: finding for finding in before.findings}
    for now in after.findings:
        was = earlier.get(now.rule)
        if was is None or now.conversations == 1 or now.rule not in same:
            continue
        change = RuleChange(
            rule=now.rule,
            before=was.outcome,
            after=now.outcome,
            conversations=now.conversations,
            violated_before=was.violated,
            applicable_before=was.applicable,
            violated_after=now.violated,
            applicable_after=now.applicable,
            rate_before=was.rate,
            rate_after=now.rate,
        )
        if now.conversations == "all" or same[now.rule].quantifier != "forall":
            yield _by_repeat(change, was, now)
        elif was.by_case and now.by_case:
            yield _by_case(change, (was, was.by_case, before.cases), (now, now.by_case, after.cases))
        else:
            yield change, 1.0


def _by_case(
    change: RuleChange, before: tuple[Finding, CaseTuples, set[str]], after: tuple[Finding, CaseTuples, set[str]]
) -> tuple[RuleChange, float]:
    from sparring.statistics.rates import Tuples, tuple_difference  # numpy takes longer than a short command

    counts = [{case: of.of(case) for case in cases if of.of(case)[1]} for _, of, cases in (before, after)]
    union = sorted(counts[0].keys() | counts[1].keys())
    sides = [
        Tuples(found.violated, found.applicable, [side.get(case, (0, 0)) for case in union], found.drawn)
        for (found, *_), side in zip((before, after), counts, strict=True)
    ]
    size, p = tuple_difference(*sides) if all(side.applicable for side in sides) else (0.0, 1.0)
    found = change.changed(tested=True, change=size, p=p)
    return found, 0.0 if size or p < 1 else 1.0


def _by_repeat(change: RuleChange, was: Finding, now: Finding) -> tuple[RuleChange, float]:
    from sparring.statistics.differences import difference

    sides = [[float(each) for each in found.by_repeat if each is not None] for found in (was, now)]
    if min(map(len, sides)) < _REPEATS:
        return change, 1.0
    found = difference([sides[0]], [sides[1]])
    return change.changed(tested=True, change=found.value or 0.0, p=found.p), found.attainable_p


def _asks(rule: Rule) -> Rule:
    """Return the part of a rule that determines its meaning, without file and description."""
    return rule.model_copy(update={"description": "", "yields": "", "file": "", "line": None, "places": {}})
