"""Changes between two batches: of cases, tested in families, and of rules over several."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import harmonic_mean
from typing import NamedTuple, TypeVar

from sparring.core.batch import Batch
from sparring.core.checks import Rule
from sparring.core.verdict import CHECKLIST, HUMAN, CaseTuples, Finding
from sparring.reports.case_rows import CaseRows, ScoreKey
from sparring.reports.comparison import SIGNIFICANT, Change, Detectable, Direction, RuleChange
from sparring.statistics.estimates import Claim, Difference, Rows
from sparring.statistics.families import holm

_MOST = 64
"""Multiple of the existing repeats above which a change is too small to detect."""

_REPEATING = (CHECKLIST, HUMAN, "rule")

_CLAIMS: tuple[Claim, ...] = ("these", "like these")

Key = TypeVar("Key")

Row = tuple[float | None, ...]

ByCase = Mapping[str, Sequence[float | None]]
"""Values by case, as `CaseRows` returns them."""


class Question(NamedTuple):
    """Values of cases in both batches, and their scale. More is better, unless they count failures."""

    before: ByCase
    after: ByCase
    low: float = 0.0
    high: float = 1.0
    counts_failures: bool = False

    def among(self, cases: Container[str]) -> "Question":
        """Return the same question about some of the cases."""
        before, after = (
            {case: row for case, row in side.items() if case in cases} for side in (self.before, self.after)
        )
        return self._replace(before=before, after=after)


def tested(questions: Mapping[Key, Question]) -> dict[Key, Change]:
    """Return the change of each question, with p-values adjusted for the number of questions."""
    found = {name: _change(question) for name, question in questions.items()}
    attainable = [each.these.attainable_p if each.these else 1.0 for each in found.values()]
    adjusted = holm([each.p for each in found.values()], alpha=SIGNIFICANT, attainable=attainable)
    return {
        name: change.changed(adjusted_p=p, direction=_direction(change, p, questions[name].counts_failures))
        for (name, change), p in zip(found.items(), adjusted, strict=True)
    }


def _direction(change: Change, p: float, counts_failures: bool) -> Direction:
    if p >= SIGNIFICANT or change.these is None or not change.these.value:
        return "not told"
    return "better" if (change.these.value > 0) is not counts_failures else "worse"


def _change(question: Question) -> Change:
    both = [case for case in question.before if case in question.after]
    alike = Counter((tuple(question.before[case]), tuple(question.after[case])) for case in both)
    means = [(_mean(was), _mean(now), times) for (was, now), times in alike.items()]
    decided = [(was, now, times) for was, now, times in means if was is not None and now is not None]
    rose = sum(times for was, now, times in decided if was < now)
    fell = sum(times for was, now, times in decided if was > now)
    better, worse = (fell, rose) if question.counts_failures else (rose, fell)
    compared = sum(times for *_, times in decided)
    counts = Change(
        better=better,
        worse=worse,
        same=compared - rose - fell,
        unpaired=len(question.before) + len(question.after) - len(both) - compared,
    )
    if not decided:
        return counts
    these, like_these = (_difference(alike, question, claim) for claim in _CLAIMS)
    return counts.changed(
        before=sum(was * times for was, _, times in decided) / compared,
        after=sum(now * times for _, now, times in decided) / compared,
        these=these,
        like_these=like_these,
        p=these.p,
    )


def _difference(alike: Mapping[tuple[Row, Row], int], question: Question, claim: Claim) -> Difference:
    """Return the change of values in steps of 1, 0.1 or 0.01, since the test takes whole numbers.

    `alike` has the number of cases with these values before and after.
    """
    from sparring.statistics.differences import difference  # numpy takes longer than a short command

    low, high = question.low, question.high
    values = {value - low for both in alike for row in both for value in row if value is not None}
    steps = next((n for n in (1, 10) if all(abs(n * each - round(n * each)) < 1e-9 for each in values)), 100)

    def whole(side: int) -> Rows:
        return [[None if value is None else round(steps * (value - low)) for value in both[side]] for both in alike]

    found = difference(
        whole(0), whole(1), low=0, high=round(steps * (high - low)), claim=claim, times=list(alike.values())
    )
    value = None if found.value is None else found.value / steps
    return replace(found, value=value, low=found.low / steps, high=found.high / steps)


def scores_of_both(before: CaseRows, after: CaseRows) -> dict[ScoreKey, Question]:
    """Return the scores by the same judge and rubric in both batches, of the cases that have any."""
    found = {}
    for key in before.score_keys:
        if key in after.score_keys:
            was, now = before.scored(key), after.scored(key)
            scores = [value for side in (was, now) for row in side.values() for value in row if value is not None]
            scale = before.scale(key)
            low, high = min(scale.worst, *scores), max(scale.best, *scores)
            some = {case for side in (was, now) for case, row in side.items() if _mean(row) is not None}
            found[key] = Question(was, now, low, high).among(some)
    return found


def deciding_score(keys: Iterable[ScoreKey], batch: Batch) -> ScoreKey | None:
    """Return the score of the batch's judge by its first rubric; None if there is none.

    Scores of the checklist and of expectations only repeat what they decide.
    """
    rubrics = [rubric.hash for rubric in (*batch.rubrics, *batch.case_rubrics)]
    judged = [key for key in keys if key.judge not in _REPEATING]
    first = next((hash for hash in rubrics if any(key.rubric == hash for key in judged)), None)
    return next((key for key in judged if first in (None, key.rubric)), None)


def detectable_fall(change: Change, passed: Question, price: float | None) -> Detectable | None:
    """Return the fall of the pass rate that this comparison detects, and what detects the observed one.

    `price` is the mean cost of a conversation in US dollars, if known.
    """
    from sparring.statistics.rates import icc
    from sparring.statistics.sizes import detectable

    if change.these is None or change.these.value is None or change.before is None or change.after is None:
        return None
    rows = (*passed.before.values(), *passed.after.values())
    numbers = [sum(value is not None for value in row) for row in rows]
    cases, alike = change.compared, icc(list(passed.before.values())) or 0.0

    def smallest_fall(repeats: int, rate: float) -> float:
        return detectable(cases, repeats, rate=rate, icc=alike)

    repeats = max(
        round(harmonic_mean(filter(None, numbers))), 1
    )  # one side with few repeats limits what many of the other tell
    seen, rate = abs(change.these.value), max(change.before, change.after)
    enough = (n for n in range(repeats + 1, _MOST * repeats + 1) if smallest_fall(n, rate) <= seen)
    more = next(enough, None) if seen else None
    conversations = None if more is None else 2 * cases * (more - repeats)
    cost = None if conversations is None or price is None else conversations * price
    fall = smallest_fall(repeats, change.before)
    fall = fall if fall < change.before else 1.0  # a rate cannot fall by more than all of it
    return Detectable(fall=fall, conversations=conversations, cost=cost)


def _mean(row: Sequence[float | None]) -> float | None:
    decided = [value for value in row if value is not None]
    return sum(decided) / len(decided) if decided else None


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
