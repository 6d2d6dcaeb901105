"""Outcomes and scores of a batch as rows for `sparring.statistics`."""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from copy import copy
from itertools import product
from typing import Any, NamedTuple, Self

from sparring.core.batch import Batch
from sparring.core.checks import Attempts, Crash, Scale, Unit
from sparring.core.outcome import Decision, Outcome
from sparring.reports.measures import family, scenario
from sparring.reports.reported import ReportedConversation

NamedRows = dict[str, list[float | None]]
"""Rows by the id of their case or the name of their scenario; `list(rows.values())` is what the statistics take."""

_SHARES = {Outcome.PASSED: 1, Outcome.FAILED: 0}

_Counted = tuple[Outcome, bool, Outcome | None]
"""What a decision counts as: its outcome, whether the chatbot crashed, and the outcome without the audit."""

_CODES: dict[_Counted, str] = {
    each: chr(ord("0") + n) for n, each in enumerate(product(Outcome, (False, True), (None, *Outcome)))
}
_COUNTED = {code: each for each, code in _CODES.items()}
_ABSENT = "-"


class ScoreKey(NamedTuple):
    """The judge and rubric of a score. Scores with different keys are never combined."""

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
        self._codes: dict[str, str] = {}
        self._joined: dict[str, str] = {}
        self._last_passed, self._retried = 0, False
        self._scores: defaultdict[ScoreKey, dict[str, float]] = defaultdict(dict)
        self._joined_scores: defaultdict[ScoreKey, dict[str, list[float | None]]] = defaultdict(dict)

    def add(self, reported: ReportedConversation) -> None:
        """Add a conversation."""
        id, conversation = reported.conversation.id, reported.conversation
        self.count(id, reported.counted(self._attempts), reported.decision, reported.attempt)
        if conversation.ending is not None and conversation.ending.completed:
            for each in reported.verdicts:
                if each.score is not None:
                    self._scores[ScoreKey(each.check, each.judge or each.by, each.rubric)][id] = each.score

    def with_crash(self, crash: Crash) -> Self:
        """Return the same rows with another outcome of crashes."""
        made = copy(self)
        made._crash = crash
        return made

    def count(self, id: str, counted: Decision, last: Decision, attempt: int = 1) -> None:
        """Count a conversation by its id: the decision that counts, and the one about its last attempt."""
        self._codes[id] = _CODES[counted.outcome, counted.crash, counted.as_played]
        self._last_passed += last.outcome is Outcome.PASSED
        self._retried = self._retried or attempt > 1

    def state(self) -> dict[str, Any]:
        """Return the rows as JSON, from which `join` adds them to those of other cases of the batch."""
        scores = [(key, self.scored(key)) for key in self.score_keys]
        return {"cases": self._coded(), "scores": scores, "last": self._last_passed, "retried": self._retried}

    def join(self, state: dict[str, Any]) -> None:
        """Add the rows of other cases."""
        self._joined.update(state["cases"])
        for key, rows in state["scores"]:
            self._joined_scores[ScoreKey(*key)].update(rows)
        self._last_passed += state["last"]
        self._retried = self._retried or state["retried"]

    def scenarios(self) -> Iterator[tuple[str, int, int]]:
        """Yield each family of cases with its number of stored conversations, and of those that passed."""
        stored, passed = Counter[str](), Counter[str]()
        for case, codes in self._coded().items():
            known = codes.replace(_ABSENT, "")
            stored[family(case)] += len(known)
            passed[family(case)] += sum(_COUNTED[code][0] is Outcome.PASSED for code in known)
        return ((name, n, passed[name]) for name, n in stored.items() if n)

    @property
    def after_retries(self) -> int | None:
        """Number of conversations that passed at their last attempt; None if there were no retries."""
        return self._last_passed if self._retried else None

    @property
    def score_keys(self) -> list[ScoreKey]:
        """Keys of all scores found, in order."""
        return sorted({*self._scores, *self._joined_scores})

    def scale(self, key: ScoreKey) -> Scale:
        """Return the scale of a score; that of the built-in rubrics for a judge without one."""
        rubrics = (*self.batch.rubrics, *self.batch.case_rubrics)
        return next((rubric.scale for rubric in rubrics if rubric.hash == key.rubric), Scale())

    def passed(self, unit: Unit = "case") -> NamedRows:
        """Return 1 for passed and 0 for failed, by the id of the case or the name of the scenario."""
        return self._rows(unit, self._passed)

    def as_played(self, unit: Unit = "case") -> NamedRows | None:
        """Return the values without the audit's voids; None if it made nothing void."""
        played = {code for code, (_, _, played) in _COUNTED.items() if played}
        if not any(played.intersection(codes) for codes in self._coded().values()):
            return None
        return self._rows(unit, self._as_played)

    def crashed(self, unit: Unit = "case") -> NamedRows:
        """Return 1 if the chatbot crashed or hung, 0 if not; void conversations are unknown."""
        return self._rows(unit, self._crashed)

    def scored(self, key: ScoreKey, unit: Unit = "case") -> NamedRows:
        """Return the scores of one check, judge and rubric."""
        rows: NamedRows = {}
        joined, found = self._joined_scores.get(key, {}), self._scores.get(key, {})
        for case, codes in self._joined.items():
            rows.setdefault(_named(case, unit), []).extend(joined.get(case) or [None] * len(codes))
        for id, case in ({} if self._joined else self.batch.ids()).items():
            rows.setdefault(_named(case, unit), []).append(found.get(id))
        return rows

    def _coded(self) -> dict[str, str]:
        """Return the code of each planned conversation by case."""
        found = dict(self._joined)
        for id, case in ({} if found else self.batch.ids()).items():
            found[case] = found.get(case, "") + self._codes.get(id, _ABSENT)
        return found

    def _rows(self, unit: Unit, value: Callable[[_Counted], float | None]) -> NamedRows:
        values = {_ABSENT: None, **{code: value(counted) for code, counted in _COUNTED.items()}}
        rows: NamedRows = {}
        same: NamedRows = {}  # of a million cases, most have equal rows
        for case, codes in self._coded().items():
            row = same.get(codes) or same.setdefault(codes, [values[code] for code in codes])
            if unit == "case":
                rows[case] = row
            else:
                rows.setdefault(scenario(case), []).extend(row)
        return rows

    def _passed(self, counted: _Counted) -> float | None:
        outcome, crash, _ = counted
        return None if crash and self._crash == "undecided" else _SHARES.get(outcome)

    def _as_played(self, counted: _Counted) -> float | None:
        played = counted[2]
        return _SHARES.get(played) if played else self._passed(counted)

    def _crashed(self, counted: _Counted) -> float | None:
        outcome, crash, _ = counted
        return None if outcome is Outcome.VOID else float(crash)


def _named(case: str, unit: Unit) -> str:
    return scenario(case) if unit == "scenario" else case


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
