"""Rules that would have noticed surviving mutants, each proven on the baseline.

A suggestion is kept only if no conversation of the baseline violates it, at least one satisfies it, and the
conversation of the mutant violates it. Rules about outcomes come before rules about style.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome
from sparring.mutation.candidates import RuleCandidate, about_form, about_outcomes
from sparring.mutation.mutant import family_of
from sparring.mutation.play import ERRING_STYLES
from sparring.mutation.run import MutantResult
from sparring.mutation.survivor import Survivor
from sparring.rules.check import SingleRules
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.recording import Recording, recording_of
from sparring.users.styles import has_style

_FAILS = (CheckOutcome.FAIL, CheckOutcome.ERROR)

_MOST_RULES = 4
"""Proven rules for one survivor: one that checks something else may notice other faults, too."""

_ENOUGH = 3
"""Conversations of another scenario that show that a rule fits it, if the rule does not fit all scenarios."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proven rule, and the ids of the surviving mutants that it notices."""

    rule: Rule
    kills: tuple[str, ...]


async def suggestions(
    results: Sequence[MutantResult], baseline: Sequence[Conversation], fresh: Sequence[Conversation] = ()
) -> list[Suggestion]:
    """Return the fewest proven rules, of outcomes and of form, that notice as much as all of them.

    No rule is returned that one of the `fresh` correct conversations violates. If only users of some styles violate
    it, it leaves these styles out.
    """
    correct: dict[str, list[Recording]] = {}
    for conversation in baseline:
        correct.setdefault(family_of(conversation), []).append(recording_of(conversation))
    apart: dict[str, list[Recording]] = {}
    for conversation in fresh:
        style = next((each.name for each in conversation.case.persona.styles), "")
        apart.setdefault(style, []).append(recording_of(conversation))
    suite = [*(each for each in fresh if not any(has_style(each.case, style) for style in ERRING_STYLES)), *baseline]
    survivors = [
        Survivor(each.mutant.id, each.change, each.shown.baseline, each.shown.conversation, suite)
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
            for rule in _proven(make(survivor), survivor, mutated[survivor.id], correct, apart):
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


def _proven(
    candidates: Iterator[RuleCandidate],
    survivor: Survivor,
    mutated: Recording,
    baseline: Mapping[str, Sequence[Recording]],
    fresh: Mapping[str, Sequence[Recording]],
) -> list[Rule]:
    """Return a few rules that the mutant violates, and no correct conversation."""
    found: list[Rule] = []
    for each in candidates:
        rule = _rule(each)
        if not isinstance(compile_rule(rule), CompiledRule) or CheckOutcome.FAIL not in _outcomes(rule, [mutated]):
            continue
        for one in _narrowed(rule, survivor.family, baseline):
            narrowed = _for_other_styles(one, fresh)
            correct = chain(*fresh.values(), *(() if narrowed is rule else baseline.values()))
            noticed = narrowed is rule or CheckOutcome.FAIL in _outcomes(narrowed, [mutated])
            if noticed and not _outcomes(narrowed, correct).intersection(_FAILS):
                found.append(narrowed)
                break
        if len(found) == _MOST_RULES:
            break
    return found


def _for_other_styles(rule: Rule, fresh: Mapping[str, Sequence[Recording]]) -> Rule:
    """Return the rule without the styles of users that violate it."""
    failing = sorted(style for style, found in fresh.items() if style and _outcomes(rule, found).intersection(_FAILS))
    if not failing:
        return rule
    when = " and ".join([*(f"{style!r} not in interaction_style" for style in failing), rule.when])
    return rule.model_copy(update={"when": when.removesuffix(" and True")})


def _narrowed(rule: Rule, family: str, baseline: Mapping[str, Sequence[Recording]]) -> Iterator[Rule]:
    """Yield the rule for the scenarios that satisfy it, then for this one alone.

    If this one does not satisfy it, yield nothing. Names may also fit other scenarios.
    """
    outcomes = {family: _outcomes(rule, baseline[family])}
    if outcomes[family].intersection(_FAILS):
        return
    outcomes |= {name: _outcomes(rule, baseline[name]) for name in baseline if name != family}
    failed = sorted(name for name, seen in outcomes.items() if seen.intersection(_FAILS))
    passed = {name for name, seen in outcomes.items() if CheckOutcome.PASS in seen and name not in failed}
    if not failed and passed:
        yield rule
    if not failed or family not in passed:
        return
    passed = {name for name in passed if name == family or len(baseline[name]) >= _ENOUGH}
    if len(failed) < len(passed):
        when = f"not in_scenario({failed!r}) and {rule.when}".removesuffix(" and True")
        yield rule.model_copy(update={"when": when})
    yield from (rule.model_copy(update={"scenarios": tuple(sorted(names))}) for names in (passed, {family}))


def _outcomes(rule: Rule, recordings: Iterable[Recording]) -> set[CheckOutcome]:
    ready = SingleRules({"": rule}, explain=False)
    return {verdict.outcome for each in recordings for verdict in ready.verdicts(each).values()}


def _rule(found: RuleCandidate) -> Rule:
    fields = {"name": found.name, "description": found.why, "when": found.when, "then": found.then}
    return Rule.model_validate(fields)
