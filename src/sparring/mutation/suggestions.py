"""Rules that would have noticed surviving mutants, each proven on the baseline.

A suggestion is kept only if no conversation of the baseline violates it, at least one satisfies it, and the
conversation of the mutant violates it. Rules about outcomes come before rules about style.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome
from sparring.mutation.candidates import RuleCandidate, about_form, about_outcomes
from sparring.mutation.run import MutantResult
from sparring.mutation.survivor import Survivor
from sparring.rules.check import SingleRules, check
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.recording import Recording, recording_of

_FAILS = (CheckOutcome.FAIL, CheckOutcome.ERROR)

_MOST_RULES = 4
"""Proven rules for one survivor: one that checks something else may notice other faults, too."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proven rule, and the ids of the surviving mutants that it notices."""

    rule: Rule
    kills: tuple[str, ...]


async def suggestions(
    results: Sequence[MutantResult], baseline: Sequence[Conversation], fresh: Sequence[Conversation] = ()
) -> list[Suggestion]:
    """Return the fewest proven rules, of outcomes and of form, that notice as much as all of them.

    No rule is returned that one of the `fresh` correct conversations violates.
    """
    recordings, apart = [recording_of(each) for each in baseline], [recording_of(each) for each in fresh]
    survivors = [
        Survivor(each.mutant.id, each.change, each.shown.baseline, each.shown.conversation, baseline)
        for each in results
        if each.alive and each.shown and each.change and not each.shown.random
    ]
    mutated = {each.id: recording_of(each.mutated) for each in survivors}
    chosen: list[Suggestion] = []
    for make in (about_outcomes, about_form):
        found: dict[tuple[str, str, tuple[str, ...]], Rule] = {}
        noticed: set[str] = set()
        for survivor in survivors:
            if survivor.id in noticed:
                continue
            async for rule in _proven(make(survivor), survivor, recordings, mutated[survivor.id], apart):
                found.setdefault((rule.when, rule.then, rule.scenarios), rule)
                noticed |= _violated({rule.name: rule}, mutated)[rule.name]
        chosen += _fewest({rule.name: rule for rule in _named(list(found.values()))}, mutated)
    return chosen


def _violated(rules: Mapping[str, Rule], mutated: Mapping[str, Recording]) -> dict[str, set[str]]:
    """Return the mutants that violate each rule, by its name."""
    found: dict[str, set[str]] = {name: set() for name in rules}
    ready = SingleRules(rules, explain=False)
    for id, recording in mutated.items():
        for name, verdict in ready.verdicts(recording).items():
            if verdict.outcome is CheckOutcome.FAIL:
                found[name].add(id)
    return found


def _fewest(rules: Mapping[str, Rule], mutated: Mapping[str, Recording]) -> list[Suggestion]:
    """Return rules that notice most mutants first, without those that notice no further one."""
    kills = _violated(rules, mutated)
    chosen: list[Suggestion] = []
    seen: set[str] = set()
    while kills:
        name = max(kills, key=lambda each: len(kills[each] - seen))
        noticed = kills.pop(name)
        if not noticed - seen:
            break
        seen |= noticed
        chosen.append(Suggestion(rules[name], tuple(sorted(noticed))))
    return chosen


def _named(rules: Sequence[Rule]) -> Iterator[Rule]:
    taken: dict[str, int] = {}
    for rule in rules:
        taken[rule.name] = number = taken.get(rule.name, 0) + 1
        yield rule if number == 1 else rule.model_copy(update={"name": f"{rule.name}_{number}"})


async def _proven(
    candidates: Iterator[RuleCandidate],
    survivor: Survivor,
    baseline: Sequence[Recording],
    mutated: Recording,
    fresh: Sequence[Recording],
) -> AsyncIterator[Rule]:
    """Yield a few rules that the baseline satisfies and the mutant violates, each in its widest scope."""
    number = 0
    for each in candidates:
        for scope in ({}, {"scenarios": (survivor.family,)}):
            rule = _rule(each, scope)
            if not isinstance(compile_rule(rule), CompiledRule):
                break
            if await _outcome(rule, [mutated]) is not CheckOutcome.FAIL:
                break
            if await _outcome(rule, baseline) is CheckOutcome.PASS and await _outcome(rule, fresh) not in _FAILS:
                yield rule
                number += 1
                break
        if number == _MOST_RULES:
            return


async def _outcome(rule: Rule, recordings: Sequence[Recording]) -> CheckOutcome | None:
    finding = (await check([rule], recordings)).findings[0]
    return finding.outcome if finding.satisfied or finding.outcome is not CheckOutcome.PASS else None


def _rule(found: RuleCandidate, scope: Mapping[str, tuple[str, ...]]) -> Rule:
    fields = {"name": found.name, "description": found.why, "when": found.when, "then": found.then}
    return Rule.model_validate({**fields, **scope})
