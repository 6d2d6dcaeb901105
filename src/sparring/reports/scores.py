"""Scores by judge, and agreement of judges with humans."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import NonNegativeInt

from sparring.core.batch import Batch
from sparring.core.checks import Scale, Unit
from sparring.core.value import Value
from sparring.core.verdict import HUMAN, LABEL, CheckOutcome, Verdict
from sparring.reports.batch_statistics import Intervals, intervals, looks
from sparring.reports.measures import Spread, scenario, spread
from sparring.statistics.estimates import Interval

T = TypeVar("T")

ENOUGH = 10
"""Conversations that a human and a judge both have to have decided, before chance is taken out of their agreement."""

_WIDEST_SHOWN = 10


class Scores(Value):
    """Scores of one judge for one rubric. Scores of different judges or rubrics are never combined.

    `errors` are undecided verdicts, which have no score. `distribution` counts each score, including unused scores of a
    short scale, which goes from `low` to `high`. `intervals` are those of the mean score, and `shares` those of the
    shares of scores at a level or above, by level; verdicts without a score count as the worst and as the best one.
    """

    judge: str
    check: str
    rubric: str = ""
    passed: NonNegativeInt = 0
    failed: NonNegativeInt = 0
    errors: NonNegativeInt = 0
    spread: Spread = Spread()
    distribution: dict[str, NonNegativeInt] = {}
    low: float = 0.0
    high: float = 0.0
    intervals: Intervals | None = None
    shares: dict[int, Intervals] = {}

    @property
    def named(self) -> str:
        """The check with its judge, if that has another name."""
        return self.check if self.check == self.judge else f"{self.check}, by {self.judge}"


class ScoreAgreement(Value):
    """Agreement of a judge's scores with those of a human, on the `n` conversations that both scored.

    `exact` counts equal scores, `within_one` those at most 1 apart. `kappa` is linearly weighted, with an interval by a
    jackknife over cases; None for fewer than ten conversations.
    """

    n: NonNegativeInt
    exact: NonNegativeInt
    within_one: NonNegativeInt
    kappa: Interval | None = None


class Agreement(Value):
    """Agreement of a judge with a human on the `n` conversations that both decided.

    `kappa` is Cohen's: 1 is perfect agreement, 0 is chance. It needs enough conversations of both outcomes. `scores` is
    the agreement on scores, if both gave any.
    """

    judge: str
    n: NonNegativeInt
    agreed: NonNegativeInt
    kappa: float | None = None
    scores: ScoreAgreement | None = None

    @property
    def share(self) -> float:
        return self.agreed / self.n


class Judgements:
    """Collects scores and agreements from the verdicts of one conversation at a time."""

    def __init__(self, batch: Batch, unit: Unit = "case") -> None:
        self._cases, self._looks, self._unit = batch.ids(), looks(batch), unit
        self._scales = {each.hash: each.scale for each in (*batch.rubrics, *batch.case_rubrics)}
        self._outcomes: defaultdict[tuple[str, str, str], Counter[CheckOutcome]] = defaultdict(Counter)
        self._scores: defaultdict[tuple[str, str, str], Counter[float]] = defaultdict(Counter)
        self._rows: defaultdict[tuple[str, str, str], defaultdict[str, list[float | None]]]
        self._rows = defaultdict(lambda: defaultdict(list))
        self._scored: defaultdict[str, defaultdict[str, list[tuple[float, float]]]]
        self._scored = defaultdict(lambda: defaultdict(list))
        self._pairs: defaultdict[str, Counter[tuple[CheckOutcome, CheckOutcome]]] = defaultdict(Counter)

    def add(self, verdicts: Sequence[Verdict]) -> None:
        """Count the verdicts of one conversation."""
        by_judge: defaultdict[str, set[CheckOutcome]] = defaultdict(set)
        for each in verdicts:
            if each.outcome is CheckOutcome.NOT_APPLICABLE:
                continue
            by_judge[each.judge].add(each.outcome)
            key = each.judge, each.check, each.rubric
            self._outcomes[key][each.outcome] += 1
            if each.score is not None:
                self._scores[key][each.score] += 1
            if each.score is not None or each.outcome is CheckOutcome.ERROR:
                self._rows[key][self._case(each.conversation)].append(each.score)
        blind, seen = by_judge.pop(LABEL, set()), by_judge.pop(HUMAN, set())
        human = (_decided(blind) if len(blind) == 1 else None) or _decided(seen)  # people may disagree
        for judge, outcomes in by_judge.items():
            if human and (machine := _decided(outcomes)):
                self._pairs[judge][human, machine] += 1
            if judge_and_human := _score_pair(verdicts, judge):
                self._scored[judge][self._case(verdicts[0].conversation)].append(judge_and_human)

    def _case(self, conversation: str) -> str:
        return self._cases.get(conversation, conversation)

    def state(self) -> dict[str, Any]:
        """Return what was collected as JSON, from which `join` adds it to that of other cases of the batch."""
        return {
            "outcomes": list(self._outcomes.items()),
            "scores": [(key, list(counts.items())) for key, counts in self._scores.items()],
            "rows": list(self._rows.items()),
            "scored": self._scored,
            "pairs": [(judge, *pair, n) for judge, pairs in self._pairs.items() for pair, n in pairs.items()],
        }

    def join(self, state: dict[str, Any]) -> None:
        """Add what was collected of other cases."""
        for (judge, check, rubric), counts in state["outcomes"]:
            self._outcomes[judge, check, rubric].update({CheckOutcome(each): n for each, n in counts.items()})
        for (judge, check, rubric), scores in state["scores"]:
            self._scores[judge, check, rubric].update(dict(scores))
        for (judge, check, rubric), rows in state["rows"]:
            self._rows[judge, check, rubric].update(rows)
        for judge, cases in state["scored"].items():
            self._scored[judge].update({case: [(one, other) for one, other in row] for case, row in cases.items()})
        for judge, human, machine, n in state["pairs"]:
            self._pairs[judge][CheckOutcome(human), CheckOutcome(machine)] += n

    def _by_unit(self, rows: Mapping[str, list[T]]) -> Mapping[str, list[T]]:
        if self._unit == "case":
            return rows
        found: dict[str, list[T]] = {}
        for case, row in rows.items():
            found.setdefault(scenario(case), []).extend(row)
        return found

    def scores(self) -> Iterator[Scores]:
        """Return the scores of each judge and rubric."""
        for key, outcomes in sorted(self._outcomes.items()):
            judge, check, rubric = key
            scale = self._scales.get(rubric, Scale())
            yield Scores(
                judge=judge,
                check=check,
                rubric=rubric,
                passed=outcomes[CheckOutcome.PASS],
                failed=outcomes[CheckOutcome.FAIL],
                errors=outcomes[CheckOutcome.ERROR],
                spread=spread(self._scores[key]),
                distribution=_distribution(self._scores[key], scale),
                **_on_scale(self._by_unit(self._rows[key]), self._scores[key], scale, self._looks),
            )

    def agreements(self) -> Iterator[Agreement]:
        """Return the agreement of each judge with the human, if they share conversations."""
        for judge, pairs in sorted(self._pairs.items()):
            agreed = sum(count for (human, machine), count in pairs.items() if human is machine)
            scores = _score_agreement(list(self._by_unit(self._scored[judge]).values()))
            yield Agreement(judge=judge, n=pairs.total(), agreed=agreed, kappa=_kappa(pairs), scores=scores)


def _score_pair(verdicts: Sequence[Verdict], judge: str) -> tuple[float, float] | None:
    """Return the scores of a human and a judge for one conversation; None unless both answer one question."""
    human = {each.check: each.score for each in verdicts if each.judge in (HUMAN, LABEL) and each.score is not None}
    found = {each.check: each.score for each in verdicts if each.judge == judge and each.score is not None}
    both = sorted(human.keys() & found.keys())
    if both:
        return human[both[0]], found[both[0]]
    if HUMAN in human and len(found) == 1:
        return human[HUMAN], next(iter(found.values()))
    return None


def _score_agreement(rows: list[list[tuple[float, float]]]) -> ScoreAgreement | None:
    pairs = [pair for row in rows for pair in row]
    if not pairs:
        return None
    from sparring.statistics.agreement import weighted_kappa  # numpy takes longer than a short command

    return ScoreAgreement(
        n=len(pairs),
        exact=sum(human == machine for human, machine in pairs),
        within_one=sum(abs(human - machine) <= 1 for human, machine in pairs),
        kappa=weighted_kappa(rows) if len(pairs) >= ENOUGH else None,
    )


def _on_scale(
    rows: Mapping[str, list[float | None]], found: Mapping[float, int], scale: Scale, times: int
) -> dict[str, Any]:
    """Return the scale, and intervals of the mean and of the share at each level; empty without scores."""
    if not found:
        return {}
    from sparring.statistics.rates import mean, rate

    low, high = min(scale.worst, *found), max(scale.best, *found)
    levels = range(scale.worst + 1, scale.best + 1) if high - low < _WIDEST_SHOWN else ()
    reached = {
        level: {case: [None if each is None else each >= level for each in row] for case, row in rows.items()}
        for level in levels
    }
    return {
        "low": low,
        "high": high,
        "intervals": intervals(mean, rows, times, low=low, high=high),
        "shares": {level: intervals(rate, each, times) for level, each in reached.items()},
    }


def score_intervals(batch: Batch, rows: Mapping[str, list[float | None]]) -> Intervals | None:
    """Return the intervals of the mean score of a batch; None without scores or with several rubrics."""
    rubrics = {each.hash: each.scale for each in (*batch.rubrics, *batch.case_rubrics)}
    found = Counter(each for row in rows.values() for each in row if each is not None)
    if len(rubrics) > 1 or not found:
        return None
    intervals: Intervals = _on_scale(rows, found, next(iter(rubrics.values()), Scale()), looks(batch))["intervals"]
    return intervals


def speaking(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Return the verdict with the score of a conversation: a human's, else a judge's.

    A human's verdict without a score leaves the judge its score. Without any score, the human's verdict comes first.
    Rules give no score that compares with those of judges.
    """
    judges = [
        verdict for verdict in verdicts if verdict.by != "rule" and verdict.outcome is not CheckOutcome.NOT_APPLICABLE
    ]
    return min(judges, key=lambda verdict: (verdict.score is None, verdict.by != HUMAN), default=None)


def _decided(outcomes: set[CheckOutcome]) -> CheckOutcome | None:
    """Return the outcome of a judge's verdicts on one conversation; None if one is undecided."""
    if not outcomes or CheckOutcome.ERROR in outcomes:
        return None
    return CheckOutcome.FAIL if CheckOutcome.FAIL in outcomes else CheckOutcome.PASS


def _distribution(scores: Mapping[float, int], scale: Scale) -> dict[str, int]:
    if not scores:
        return {}
    short = scale.best - scale.worst < _WIDEST_SHOWN
    known = dict.fromkeys(map(float, range(scale.worst, scale.best + 1)), 0) if short else {}
    return {f"{score:g}": count for score, count in sorted({**known, **scores}.items())}


def _kappa(pairs: Counter[tuple[CheckOutcome, CheckOutcome]]) -> float | None:
    n = pairs.total()
    if n < ENOUGH:
        return None
    agreed = sum(count for (human, machine), count in pairs.items() if human is machine) / n
    by_chance = sum(
        sum(count for (human, _), count in pairs.items() if human is outcome)
        * sum(count for (_, machine), count in pairs.items() if machine is outcome)
        for outcome in (CheckOutcome.PASS, CheckOutcome.FAIL)
    ) / (n * n)
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)
