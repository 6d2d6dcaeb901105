"""Changes of cases from one batch to another, tested in families of questions."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import harmonic_mean
from typing import NamedTuple, TypeVar

from sparring.core.batch import Batch
from sparring.core.verdict import CHECKLIST, HUMAN
from sparring.reports.case_rows import CaseRows, ScoreKey
from sparring.reports.comparison import SIGNIFICANT, Change, Detectable, Direction
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
    """Return the fall of the pass rate that would have been detected, and what it takes to detect this one.

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
