"""Comparison of two batches: counts, significance tests, and the pairs that changed."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sparring.core.batch import Batch
from sparring.core.case import Case, renamed_cases, same_cases
from sparring.core.causes import CauseStatus
from sparring.core.conversation import conversation_id
from sparring.core.outcome import Outcome
from sparring.reports.case_rows import ScoreKey
from sparring.reports.cause_status import with_status
from sparring.reports.causes import CauseSummary
from sparring.reports.compared_batch import ComparedBatch, SeenConversation
from sparring.reports.comparison import (
    KINDS,
    Baseline,
    Change,
    Comparison,
    Kind,
    Pair,
    ScoresOfBoth,
)
from sparring.reports.comparison_text import headline
from sparring.reports.measures import spread
from sparring.reports.service_results import scenario_name
from sparring.reports.tested_changes import (
    Question,
    deciding_score,
    detectable_fall,
    rule_changes,
    scores_of_both,
    tested,
)

EXAMPLES = 10
"""Pairs of each kind that a comparison names."""

_KIND: dict[tuple[Outcome, Outcome], Kind] = {
    (Outcome.PASSED, Outcome.PASSED): "passed",
    (Outcome.FAILED, Outcome.FAILED): "failed",
    (Outcome.FAILED, Outcome.PASSED): "better",
    (Outcome.PASSED, Outcome.FAILED): "worse",
}


def compare(
    before: ComparedBatch, after: ComparedBatch, *, examples: int = EXAMPLES, replayed: Container[str] = ()
) -> Comparison:
    """Compare two batches. Name up to `examples` pairs of each kind.

    `replayed` are rules that replays showed to hold before and to be violated now.
    """
    names = renamed_cases(before.batch.cases, after.batch.cases)
    earlier = {now: was for was, now in names.items()}
    found = _compared(before.renamed(names), after, earlier, examples, replayed)
    return found.model_copy(update={"sentence": headline(found)})


def _compared(
    before: ComparedBatch, after: ComparedBatch, earlier: Mapping[str, str], examples: int, replayed: Container[str]
) -> Comparison:
    pairs, certain = _paired(before, after), before.deterministic and after.deterministic
    passed = Question(before.rows.passed(), after.rows.passed())
    scores = scores_of_both(before.rows, after.rows)
    deciding = deciding_score(scores, after.batch)
    asked: dict[ScoreKey | str, Question] = {"passed": passed, "crashed": _crashes(before, after)}
    changes = tested({**asked, **{key: question for key, question in scores.items() if key == deciding}})
    others = tested({key: question for key, question in scores.items() if key != deciding})

    def named(kind: Kind) -> tuple[Pair, ...]:
        found = sorted(pairs.changed[kind], key=lambda pair: pair.repeat)
        return tuple(_pair(each, earlier) for each in _varied(found)[:examples])

    return Comparison(
        before=before.side(),
        after=after.side(),
        differences=tuple(_differences(before.batch, after.batch)),
        pairs={kind: pairs.kinds[kind] for kind in KINDS},
        only_before=pairs.planned[0] - pairs.both,
        only_after=pairs.planned[1] - pairs.both,
        not_run=pairs.both - pairs.kinds.total(),
        changes=changes["passed"],
        detectable=detectable_fall(changes["passed"], passed, after.price),
        crashes=changes["crashed"],
        tags=tested(_tags(passed, (before.batch, after.batch))),
        checks=tested(_checks(before, after)),
        rules=rule_changes(before.rule_side(), after.rule_side(), replayed=replayed, deterministic=certain),
        scores=tuple(
            _scores(key, scores[key], change, decides=key == deciding)
            for key, change in [*changes.items(), *others.items()]
            if isinstance(key, ScoreKey) and change.compared
        ),
        causes=tuple(_causes(before, after)),
        worse=named("worse"),
        better=named("better"),
        undecided=named("undecided"),
    )


def pooled(nights: Sequence[ComparedBatch], cases: Sequence[Case]) -> tuple[ComparedBatch, Baseline]:
    """Return nights as one side of a comparison, by the cases whose content is that of `cases`."""
    nights = [night.renamed(renamed_cases(night.batch.cases, cases)) for night in nights]
    same = [same_cases(cases, night.batch.cases) for night in nights]
    common = set.union(*same)
    earlier = {case.id for night in nights for case in night.batch.cases}
    return ComparedBatch.pooled(nights, same), Baseline(
        nights=len(nights),
        since=nights[0].batch.created,
        left_out=len(cases) - len(common),
        common=len(common) / max(len(cases), len(earlier), 1),
    )


_STATUSES: tuple[CauseStatus, ...] = ("new", "back", "grew", "known", "shrank", "fixed", "not_tested")


def _causes(before: ComparedBatch, after: ComparedBatch) -> list[CauseSummary]:
    """Return the causes of failures in either batch, what is new first."""
    shown, gone = with_status(after.causes, replace(after.history, baseline=before.causes, previous=None))
    found = [each for each in (*shown, *gone) if each.outcome is Outcome.FAILED and each.status]
    return sorted(found, key=lambda each: _STATUSES.index(each.status or "known"))


class _SeenTwice(NamedTuple):
    """A conversation that both batches have."""

    case: str
    repeat: int
    before: SeenConversation
    after: SeenConversation

    @property
    def cause(self) -> str:
        """The id of its cause in the second batch, else in the first."""
        return self.after.cause or self.before.cause


class _Pairs(NamedTuple):
    """Counts of pairs, of planned conversations in each batch and in both, and the pairs that changed."""

    kinds: Counter[Kind]
    planned: tuple[int, int]
    both: int
    changed: Mapping[Kind, list[_SeenTwice]]


def _paired(before: ComparedBatch, after: ComparedBatch) -> _Pairs:
    sides = before.batch.repeats_by_case(), after.batch.repeats_by_case()
    seen = before.results(), after.results()
    kinds, both = Counter[Kind](), 0
    changed: defaultdict[Kind, list[_SeenTwice]] = defaultdict(list)
    for case, repeats in sides[0].items():
        planned = set(repeats).intersection(sides[1].get(case, ()))
        both += len(planned)
        if case in seen[0] and case in seen[1]:
            was, now = (dict(side[case].seen) for side in seen)
            for repeat in planned & was.keys() & now.keys():
                kind = _KIND.get((was[repeat].outcome, now[repeat].outcome), "undecided")
                kinds[kind] += 1
                if kind not in ("passed", "failed"):
                    changed[kind].append(_SeenTwice(case, repeat, was[repeat], now[repeat]))
    lengths = [sum(map(len, side.values())) for side in sides]
    return _Pairs(kinds, (lengths[0], lengths[1]), both, changed)


def _varied(pairs: Iterable[_SeenTwice]) -> list[_SeenTwice]:
    """Return pairs with the first of each cause before the others."""
    found, earlier = list(pairs), Counter[str]()
    places = []
    for pair in found:
        places.append(earlier[pair.cause] > 0)
        earlier[pair.cause] += 1
    return [pair for _, pair in sorted(zip(places, found, strict=True), key=lambda each: each[0])]


def _pair(seen: _SeenTwice, earlier: Mapping[str, str]) -> Pair:
    return Pair(
        conversation=conversation_id(seen.case, seen.repeat),
        earlier=conversation_id(earlier[seen.case], seen.repeat) if seen.case in earlier else "",
        before=seen.before.outcome,
        after=seen.after.outcome,
        reason_before=seen.before.reason,
        reason_after=seen.after.reason,
        cause=seen.cause,
    )


def _crashes(before: ComparedBatch, after: ComparedBatch) -> Question:
    return Question(before.rows.crashed(), after.rows.crashed(), counts_failures=True)


def _tags(passed: Question, batches: Iterable[Batch]) -> dict[str, Question]:
    """Return the outcomes of the cases of each tag; the name of a scenario is none."""
    tagged: defaultdict[str, set[str]] = defaultdict(set)
    for case in (case for batch in batches for case in batch.cases):
        for tag in case.tags:
            if tag != scenario_name(case):
                tagged[tag].add(case.id)
    return {tag: passed.among(tagged[tag]) for tag in sorted(tagged)}


def _checks(before: ComparedBatch, after: ComparedBatch) -> dict[str, Question]:
    """Return the results of each check that decided something in either batch."""
    was, now = before.checks(), after.checks()
    return {name: Question(was.get(name, {}), now.get(name, {})) for name in sorted(was.keys() | now.keys())}


def _scores(key: ScoreKey, question: Question, change: Change, *, decides: bool) -> ScoresOfBoth:
    sides = (question.before, question.after)
    scored = ({case for case, row in side.items() if any(value is not None for value in row)} for side in sides)
    both = set.intersection(*scored)
    was, now = (Counter(value for case in both for value in side[case] if value is not None) for side in sides)
    return ScoresOfBoth(
        check=key.check,
        judge=key.judge,
        rubric=key.rubric,
        decides=decides,
        before=spread(was),
        after=spread(now),
        counts_before={f"{score:g}": was[score] for score in sorted(was)},
        counts_after={f"{score:g}": now[score] for score in sorted(now)},
        change=change,
    )


def _differences(before: Batch, after: Batch) -> Iterator[str]:
    """Return the differences between the batches themselves, in words."""
    roles = {"chatbot": "chatbot", "chatbot_model": "the chatbot's model", "user": "user", "reader": "reader"}
    for role, name in (roles | {"judge": "judge"}).items():
        was, now = getattr(before.who, role), getattr(after.who, role)
        if was != now:
            yield f"{name}: {was or 'unknown'} before, {now or 'unknown'} after"
    for name in sorted({*before.datasets} & {*after.datasets}):
        if (was := before.datasets[name]) != (now := after.datasets[name]):
            yield f"dataset {name}: version {was} before, {now} after"
    if before.seed != after.seed:
        yield f"seed: {before.seed} before, {after.seed} after"
    if [rule.name for rule in before.rules] != [rule.name for rule in after.rules]:
        yield f"rules: {len(before.rules)} before, {len(after.rules)} after, not the same ones"
    elif before.rules != after.rules:
        yield "rules: the same names with another text"
    if {rubric.hash for rubric in before.rubrics} != {rubric.hash for rubric in after.rubrics}:
        yield "rubrics: not the same, or the prompt of their judge; scores are compared under equal ones"
    if before.until or after.until:
        yield "a batch that stopped when it was decided: p-values presume a number that was fixed before"
    common = {case.id for case in before.cases} & {case.id for case in after.cases}
    if changed := len(common - same_cases(before.cases, after.cases)):
        yield f"cases: {changed} of the same id with another content"
