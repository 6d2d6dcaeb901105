"""Outcomes and scores of a batch as rows for `sparring.statistics`."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from sparring.core.batch import Batch
from sparring.core.checks import Attempts, Crash, Scale, Unit
from sparring.core.outcome import Decision, Outcome
from sparring.reports.measures import scenario
from sparring.reports.reported import ReportedConversation

NamedRows = dict[str, list[float | None]]
"""Rows by the id of their case or the name of their scenario; `list(rows.values())` is what the statistics take."""

_SHARES = {Outcome.PASSED: 1, Outcome.FAILED: 0}


class ScoreKey(NamedTuple):
    """What a score belongs to. Scores with different keys are never combined."""

    check: str
    judge: str
    rubric: str


class CaseRows:
    """Collects outcomes, crashes and scores of a batch, one conversation at a time.

    A value is None for a conversation that is undecided, void, or planned and not stored. `attempts` are those that
    count: the first that were not void, or the last. `crash` replaces the outcome of crashes that the batch recorded.
    """

    def __init__(self, batch: Batch, attempts: Attempts = "first", crash: Crash | None = None) -> None:
        self.batch, self._attempts, self._crash = batch, attempts, crash
        self._decisions: dict[str, Decision] = {}
        self._last_passed, self._retried = 0, False
        self._scores: defaultdict[ScoreKey, dict[str, float]] = defaultdict(dict)

    def add(self, reported: ReportedConversation) -> None:
        """Add a conversation."""
        id, conversation = reported.conversation.id, reported.conversation
        self.count(id, reported.counted(self._attempts), reported.decision, reported.attempt)
        if conversation.ending is not None and conversation.ending.completed:
            for each in reported.verdicts:
                if each.score is not None:
                    self._scores[ScoreKey(each.check, each.judge or each.by, each.rubric)][id] = each.score

    def count(self, id: str, counted: Decision, last: Decision, attempt: int = 1) -> None:
        """Count a conversation by its id: the decision that counts, and the one about its last attempt."""
        self._decisions[id] = counted
        self._last_passed += last.outcome is Outcome.PASSED
        self._retried = self._retried or attempt > 1

    @property
    def after_retries(self) -> int | None:
        """Number of conversations that passed at their last attempt; None if there were no retries."""
        return self._last_passed if self._retried else None

    @property
    def score_keys(self) -> list[ScoreKey]:
        """Keys of all scores found, in order."""
        return sorted(self._scores)

    def scale(self, key: ScoreKey) -> Scale:
        """Return the scale of a score; that of the built-in rubrics for a judge without one."""
        rubrics = (*self.batch.rubrics, *self.batch.case_rubrics)
        return next((rubric.scale for rubric in rubrics if rubric.hash == key.rubric), Scale())

    def passed(self, unit: Unit = "case") -> NamedRows:
        """Return 1 for passed and 0 for failed, by the id of the case or the name of the scenario."""
        return self._rows(unit, self._passed)

    def as_played(self, unit: Unit = "case") -> NamedRows | None:
        """Return what passed had the audit made nothing void; None if it made nothing void."""
        if all(each.as_played is None for each in self._decisions.values()):
            return None
        return self._rows(unit, self._as_played)

    def crashed(self, unit: Unit = "case") -> NamedRows:
        """Return 1 where the chatbot crashed or hung and 0 where it did not; void conversations are unknown."""
        return self._rows(unit, self._crashed)

    def scored(self, key: ScoreKey, unit: Unit = "case") -> NamedRows:
        """Return the scores of one check, judge and rubric."""
        return self._rows(unit, self._scores[key].get)

    def _rows(self, unit: Unit, value: Callable[[str], float | None]) -> NamedRows:
        rows: NamedRows = {}
        for id, case in self.batch.ids().items():
            rows.setdefault(scenario(case) if unit == "scenario" else case, []).append(value(id))
        return rows

    def _passed(self, id: str) -> float | None:
        decision = self._decisions.get(id)
        if decision is None or (decision.crash and self._crash == "undecided"):
            return None
        return _SHARES.get(decision.outcome)

    def _as_played(self, id: str) -> float | None:
        decision = self._decisions.get(id)
        played = decision and decision.as_played
        return _SHARES.get(played) if played else self._passed(id)

    def _crashed(self, id: str) -> float | None:
        decision = self._decisions.get(id)
        if decision is None or decision.outcome is Outcome.VOID:
            return None
        return float(decision.crash)


class PooledRows(CaseRows):
    """Rows of several batches as if they were one, with the repeats of all of them for each case.

    Of each batch, only some `cases` count.
    """

    def __init__(self, pooled: Sequence[CaseRows], cases: Sequence[Container[str]]) -> None:
        self._pooled, self._cases = pooled, cases

    @property
    def score_keys(self) -> list[ScoreKey]:
        """Keys of all scores found, in order."""
        return sorted({key for rows in self._pooled for key in rows.score_keys})

    def scale(self, key: ScoreKey) -> Scale:
        """Return the scale of a score."""
        return next(rows.scale(key) for rows in self._pooled if key in rows.score_keys)

    def passed(self, unit: Unit = "case") -> NamedRows:
        """Return the outcomes of all batches."""
        return self._merged(rows.passed(unit) for rows in self._pooled)

    def crashed(self, unit: Unit = "case") -> NamedRows:
        """Return the crashes in all batches."""
        return self._merged(rows.crashed(unit) for rows in self._pooled)

    def scored(self, key: ScoreKey, unit: Unit = "case") -> NamedRows:
        """Return the scores in all batches."""
        return self._merged(rows.scored(key, unit) for rows in self._pooled)

    def _merged(self, rows: Iterable[NamedRows]) -> NamedRows:
        merged: NamedRows = {}
        for found, cases in zip(rows, self._cases, strict=True):
            for case, row in found.items():
                if case in cases:
                    merged.setdefault(case, []).extend(row)
        return merged
