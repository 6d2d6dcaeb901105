"""Scores by judge, and agreement of judges with humans."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pydantic import NonNegativeInt

from sparring.core.batch import Batch
from sparring.core.checks import Scale
from sparring.core.value import Value
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.reports.measures import Spread, spread

ENOUGH = 10
"""Conversations that a human and a judge both have to have decided, before chance is taken out of their agreement."""

_WIDEST_SHOWN = 10


class Scores(Value):
    """Scores of one judge for one rubric. Scores of different judges or rubrics are never combined.

    `errors` are undecided verdicts, which have no score. `distribution` counts each score, including unused scores of a
    short scale.
    """

    judge: str
    check: str
    rubric: str = ""
    passed: NonNegativeInt = 0
    failed: NonNegativeInt = 0
    errors: NonNegativeInt = 0
    spread: Spread = Spread()
    distribution: dict[str, NonNegativeInt] = {}


class Agreement(Value):
    """Agreement of a judge with a human on the `n` conversations that both decided.

    `kappa` is Cohen's: 1 is perfect agreement, 0 is chance. It needs enough conversations of both outcomes.
    """

    judge: str
    n: NonNegativeInt
    agreed: NonNegativeInt
    kappa: float | None = None

    @property
    def share(self) -> float:
        return self.agreed / self.n


class Judgements:
    """Collects scores and agreements from the verdicts of one conversation at a time."""

    def __init__(self, batch: Batch) -> None:
        self._scales = {each.hash: each.scale for each in (*batch.rubrics, *batch.case_rubrics)}
        self._outcomes: defaultdict[tuple[str, str, str], Counter[CheckOutcome]] = defaultdict(Counter)
        self._scores: defaultdict[tuple[str, str, str], Counter[float]] = defaultdict(Counter)
        self._pairs: defaultdict[str, Counter[tuple[CheckOutcome, CheckOutcome]]] = defaultdict(Counter)

    def add(self, verdicts: Iterable[Verdict]) -> None:
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
        human = _decided(by_judge.pop(HUMAN, set()))
        for judge, outcomes in by_judge.items():
            if human and (machine := _decided(outcomes)):
                self._pairs[judge][human, machine] += 1

    def scores(self) -> Iterator[Scores]:
        """Return the scores of each judge and rubric."""
        for key, outcomes in sorted(self._outcomes.items()):
            judge, check, rubric = key
            yield Scores(
                judge=judge,
                check=check,
                rubric=rubric,
                passed=outcomes[CheckOutcome.PASS],
                failed=outcomes[CheckOutcome.FAIL],
                errors=outcomes[CheckOutcome.ERROR],
                spread=spread(self._scores[key]),
                distribution=_distribution(self._scores[key], self._scales.get(rubric, Scale())),
            )

    def agreements(self) -> Iterator[Agreement]:
        """Return the agreement of each judge with the human, if they share conversations."""
        for judge, pairs in sorted(self._pairs.items()):
            agreed = sum(count for (human, machine), count in pairs.items() if human is machine)
            yield Agreement(judge=judge, n=pairs.total(), agreed=agreed, kappa=_kappa(pairs))


def speaking(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Return the verdict that gives a conversation its score: a human's, else the first with a score, else the judge's.

    Rules give no score that compares with those of judges.
    """
    judges = [
        verdict for verdict in verdicts if verdict.by != "rule" and verdict.outcome is not CheckOutcome.NOT_APPLICABLE
    ]
    return min(judges, key=lambda verdict: (verdict.by != HUMAN, verdict.score is None), default=None)


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
