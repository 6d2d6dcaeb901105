"""A batch at a glance, from the rows of its conversations: figures, causes, and families of cases."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.listing import ConversationRow, short_reason
from sparring.core.outcome import Decision, Outcome
from sparring.core.verdict import Finding
from sparring.reports.batch_statistics import BatchStatistics, batch_statistics
from sparring.reports.case_rows import CaseRows
from sparring.reports.cause_status import CauseBaseline, CauseHistory, with_status
from sparring.reports.causes import CauseSummary, CauseTally, cause_of
from sparring.reports.measures import family
from sparring.reports.summary import EXAMPLES
from sparring.statistics.estimates import Difference, Interval

if TYPE_CHECKING:
    from sparring.reports.gate import Gated

NOT_RUN = "not_run"
_TROUBLES = (Outcome.FAILED, Outcome.UNDECIDED)
_SHARES = {Outcome.PASSED: 1.0, Outcome.FAILED: 0.0}


@dataclass(frozen=True, slots=True)
class Entry:
    """One conversation as lists show it, by its first attempt; `cause` and `role` may be empty."""

    id: str
    case: str
    outcome: Outcome
    cause: str = ""
    role: str = ""
    blame: Blame | None = None
    reason: str = ""
    turns: int = 0
    failed: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class CaseEntry(NamedTuple):
    """One conversation of a case: its repeat, outcome, cause and turns."""

    repeat: int
    outcome: Outcome
    cause: str
    turns: int


_CaseEntries = tuple[CaseEntry, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """The conversations of a scenario, by the ids of its cases."""

    name: str
    planned: int
    cases: tuple[tuple[str, _CaseEntries], ...]
    passed: int
    decided: int

    @property
    def counts(self) -> dict[str, int]:
        """Number of planned conversations by outcome, or not run, in the order of their first ones."""
        found = Counter(each.outcome.value for _, entries in self.cases for each in entries)
        return {**found, **({NOT_RUN: self.not_run} if self.not_run else {})}

    @property
    def rate(self) -> Interval | None:
        """Its pass rate; None if none is decided."""
        from sparring.statistics.rates import rate  # numpy takes longer than a short command

        rows = ([_SHARES[each.outcome] for each in entries if each.outcome in _SHARES] for _, entries in self.cases)
        values = [row for row in rows if row]
        return rate(values, claim="like these") if values else None

    @property
    def turns(self) -> float:
        """Median of the turns."""
        return median(each.turns for _, entries in self.cases for each in entries) if self._stored else 0

    @property
    def not_run(self) -> int:
        """Number of planned conversations that are not stored."""
        return max(0, self.planned - self._stored)

    @property
    def _stored(self) -> int:
        return sum(len(entries) for _, entries in self.cases)


@dataclass(frozen=True, slots=True)
class Group:
    """Failed conversations with one value of a tab's grouping; `share` is from 0 to 1."""

    name: str
    count: int
    share: float


@dataclass(frozen=True)
class Overview:
    """Figures of a batch, its causes against the baseline, and all of its conversations in their order.

    `void_reasons` are those of the first void conversations, as many as a summary has. `blames` has the number of
    conversations that did not pass, by who is to blame and by outcome, `turns` those with so many turns, and how many
    of them failed. HTML reports have no `entries`. `gone` are causes of the `baseline` that it does not show. `change`
    is that of the pass rate since the previous run, for these cases; None without one. `gated` is what a gate says, if
    there is one. Without `statistics` it is not at its end.
    """

    planned: int
    stored: int
    outcomes: Mapping[Outcome, int]
    weak: int = 0
    guards: int = 0
    crashes: int = 0
    doubts: int = 0
    retried: int = 0
    causes: Sequence[CauseSummary] = ()
    gone: Sequence[CauseSummary] = ()
    findings: Sequence[Finding] = ()
    statistics: BatchStatistics | None = None
    void_reasons: tuple[str, ...] = ()
    blames: Mapping[Blame, Mapping[str, int]] = field(default_factory=dict)
    turns: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()
    families: tuple[Family, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    baseline: CauseBaseline | None = None
    change: Difference | None = None
    gated: "Gated | None" = None

    @property
    def not_run(self) -> int:
        """Number of planned conversations that are not stored."""
        return max(0, self.planned - self.stored)

    @property
    def counts(self) -> dict[str, int]:
        """Number of planned conversations by outcome; the sum is that of all planned ones."""
        found = {outcome.value: self.outcomes.get(outcome, 0) for outcome in Outcome}
        return {**found, NOT_RUN: self.not_run}

    @property
    def failed(self) -> int:
        """Number of failed conversations."""
        return self.outcomes.get(Outcome.FAILED, 0)

    def grouped(self, by: str) -> list[Group]:
        """Group failed conversations by rule, turn, scenario or tag; one with several is in each."""
        failed = [each for each in self.entries if each.outcome is Outcome.FAILED]
        found = Counter(name for each in failed for name in _names(each, by))
        return [Group(name, count, count / len(failed)) for name, count in found.most_common()]


def _names(entry: Entry, by: str) -> tuple[str, ...]:
    names = {"rule": entry.failed, "turn": (entry.role,), "scenario": (family(entry.case),), "tag": entry.tags}
    return tuple(name for name in names[by] if name)


def overview(
    batch: Batch,
    rows: Sequence[ConversationRow],
    findings: Sequence[Finding] = (),
    history: CauseHistory | None = None,
    *,
    finished: bool = True,
) -> Overview:
    """Return a batch, which has its cases, at a glance."""
    cases, tags = batch.ids(), {case.id: case.tags for case in batch.cases}
    causes, counted, tally, entries = CauseTally(batch), CaseRows(batch), OverviewTally(), list[Entry]()
    for row in rows:
        id, case = row.conversation, cases[row.conversation]
        causes.count(id, case, row.counted, row.decision)
        counted.count(id, row.counted, row.decision, row.attempt)
        repeat = 1 if id == case else int(id.rpartition("#")[2])
        tally.add(case, repeat, row.counted, row.decision, turns=row.turns, attempt=row.attempt)
        entries.append(_entry(row, case, tags[case]))
    history = history or CauseHistory()
    shown, gone = with_status(causes, history)
    return replace(
        tally.overview(batch, shown),
        entries=tuple(entries),
        gone=gone,
        findings=tuple(findings),
        statistics=batch_statistics(counted) if finished and rows else None,
        baseline=history.of(),
        change=history.change(causes) if finished and rows else None,
    )


class OverviewTally:
    """Collects conversations for an overview, one at a time, and keeps a few bytes of each."""

    def __init__(self) -> None:
        self._cases: defaultdict[str, _CaseEntries] = defaultdict(tuple)
        self._alike: dict[_CaseEntries, _CaseEntries] = {}  # of a million cases, most have equal entries
        self._outcomes: Counter[Outcome] = Counter()
        self._blames: Counter[tuple[Blame, Outcome]] = Counter()
        self._turns: Counter[tuple[int, bool]] = Counter()
        self._marks: Counter[str] = Counter()
        self._void_reasons: list[str] = []

    def add(self, case: str, repeat: int, counted: Decision, last: Decision, *, turns: int, attempt: int) -> None:
        """Add a conversation: the decision that counts, and that of the last attempt, by its number."""
        outcome = counted.outcome
        cause = cause_of(counted, last).id if outcome in _TROUBLES else ""
        entries = (*self._cases[case], CaseEntry(repeat, outcome, cause, turns))
        self._cases[case] = self._alike.setdefault(entries, entries)
        self._outcomes[outcome] += 1
        self._turns[turns, outcome is Outcome.FAILED] += 1
        if counted.blame is not None:
            self._blames[counted.blame, outcome] += 1
        if outcome is Outcome.VOID and len(self._void_reasons) < EXAMPLES:
            self._void_reasons.append(short_reason(counted))
        self._marks["weak"] += counted.weak
        self._marks["guards"] += counted.guard
        self._marks["crashes"] += counted.crash and outcome is Outcome.FAILED
        self._marks["doubts"] += bool(counted.doubts)
        self._marks["retried"] += attempt > 1

    def overview(self, batch: Batch, causes: Sequence[CauseSummary]) -> Overview:
        """Return a batch, which has its cases, at a glance."""
        return Overview(
            planned=batch.planned,
            stored=self._outcomes.total(),
            outcomes=self._outcomes,
            weak=self._marks["weak"],
            guards=self._marks["guards"],
            crashes=self._marks["crashes"],
            doubts=self._marks["doubts"],
            retried=self._marks["retried"],
            causes=causes,
            void_reasons=tuple(self._void_reasons),
            blames=self._by_blame(),
            turns={
                turns: (self._turns[turns, False] + (failed := self._turns[turns, True]), failed)
                for turns in sorted({turns for turns, _ in self._turns})
            },
            families=tuple(self._families(batch)),
            titles={each.id: each.title for each in causes},
        )

    def _by_blame(self) -> dict[Blame, dict[str, int]]:
        """Return the numbers by blame, the one with most conversations first."""
        found = self._blames
        by_count = sorted(Blame, key=lambda blame: -sum(found[blame, outcome] for outcome in Outcome))
        rows = {blame: {o.value: found[blame, o] for o in Outcome if found[blame, o]} for blame in by_count}
        return {blame: counts for blame, counts in rows.items() if counts}

    def _families(self, batch: Batch) -> list[Family]:
        """Return the families of a batch, the worst first."""
        found: defaultdict[str, list[tuple[str, _CaseEntries]]] = defaultdict(list)
        planned = Counter[str]()
        for case, repeats in batch.repeats_by_case().items():
            planned[family(case)] += len(repeats)
            if entries := self._cases.get(case):
                found[family(case)].append((case, entries))
        made = [_family(name, n, tuple(found[name])) for name, n in planned.items()]
        return sorted(made, key=lambda each: (each.passed / each.decided if each.decided else 2, each.name))


def _entry(row: ConversationRow, case: str, tags: tuple[str, ...]) -> Entry:
    counted = row.counted
    cause = cause_of(counted, row.decision) if counted.outcome in _TROUBLES else None
    return Entry(
        id=row.conversation,
        case=case,
        outcome=counted.outcome,
        cause=cause.id if cause else "",
        role=cause.role if cause else "",
        blame=counted.blame,
        reason=row.reason,
        turns=row.turns,
        failed=row.failed,
        tags=tags,
    )


def _family(name: str, planned: int, cases: tuple[tuple[str, _CaseEntries], ...]) -> Family:
    outcomes = Counter(each.outcome for _, entries in cases for each in entries)
    passed = outcomes[Outcome.PASSED]
    return Family(name, planned, cases, passed=passed, decided=passed + outcomes[Outcome.FAILED])
