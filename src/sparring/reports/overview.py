"""A batch at a glance, from the rows of its conversations: figures, causes, and families of cases."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.listing import ConversationRow
from sparring.core.outcome import Outcome
from sparring.core.verdict import Finding
from sparring.reports.batch_statistics import BatchStatistics, batch_statistics
from sparring.reports.case_rows import CaseRows
from sparring.reports.cause_status import CauseBaseline, CauseHistory, common_cases, with_status
from sparring.reports.causes import CauseSummary, CauseTally, cause_of
from sparring.reports.measures import scenario
from sparring.reports.summary import EXAMPLES
from sparring.statistics.estimates import Difference, Interval

if TYPE_CHECKING:
    from sparring.reports.gate import Gated

NOT_RUN = "not_run"
_TROUBLES = (Outcome.FAILED, Outcome.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Entry:
    """One conversation as lists show it, by its first attempt; `cause` and `role` are empty if it has no cause."""

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


@dataclass(frozen=True, slots=True)
class Family:
    """The cases of a scenario; `rate` is None if none is decided."""

    name: str
    entries: tuple[Entry, ...]
    not_run: int
    passed: int
    decided: int
    rate: Interval | None
    turns: float


@dataclass(frozen=True, slots=True)
class Group:
    """Failed conversations with one value of a tab's grouping; `share` is from 0 to 1."""

    name: str
    count: int
    share: float


@dataclass(frozen=True)
class Overview:
    """Figures of a batch, its causes against the baseline, and all of its conversations in their order.

    `gone` are causes of the `baseline` that it does not show. `change` is that of the pass rate since the previous
    run, for these cases; None without one. `gated` is what a gate says, if there is one. Without `statistics` it is not
    at its end.
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
    entries: tuple[Entry, ...] = ()
    families: tuple[Family, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    baseline: CauseBaseline | None = None
    change: Difference | None = None
    gated: "Gated | None" = None

    @property
    def void_reasons(self) -> tuple[str, ...]:
        """Reasons of the first void conversations, as many as a summary has."""
        void = (each.reason for each in self.entries if each.outcome is Outcome.VOID)
        return tuple(islice(void, EXAMPLES))

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

    @property
    def blames(self) -> dict[Blame, dict[str, int]]:
        """Number of conversations that did not pass, by who is to blame and by outcome."""
        found = Counter((each.blame, each.outcome) for each in self.entries if each.blame is not None)
        by_count = sorted(Blame, key=lambda blame: -sum(found[blame, outcome] for outcome in Outcome))
        rows = {blame: {o.value: found[blame, o] for o in Outcome if found[blame, o]} for blame in by_count}
        return {blame: counts for blame, counts in rows.items() if counts}

    @property
    def turns(self) -> dict[int, tuple[int, int]]:
        """Number of conversations by their turns, and how many of them failed."""
        all_, failed = Counter[int](), Counter[int]()
        for each in self.entries:
            all_[each.turns] += 1
            failed[each.turns] += each.outcome is Outcome.FAILED
        return {turns: (count, failed[turns]) for turns, count in sorted(all_.items())}

    def grouped(self, by: str) -> list[Group]:
        """Group failed conversations by rule, turn, scenario or tag; one with several is in each."""
        failed = [each for each in self.entries if each.outcome is Outcome.FAILED]
        found = Counter(name for each in failed for name in _names(each, by))
        return [Group(name, count, count / len(failed)) for name, count in found.most_common()]


def _names(entry: Entry, by: str) -> tuple[str, ...]:
    names = {"rule": entry.failed, "turn": (entry.role,), "scenario": (scenario(entry.case),), "tag": entry.tags}
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
    causes, counted, tally = CauseTally(batch), CaseRows(batch), OverviewTally()
    for row in rows:
        case = cases[row.conversation]
        causes.count(row.conversation, case, row.counted, row.decision)
        counted.count(row.conversation, row.counted, row.decision, row.attempt)
        tally.add(row, case, tags[case])
    history = history or CauseHistory()
    shown, gone = with_status(causes, history)
    return replace(
        tally.overview(batch, shown),
        gone=gone,
        findings=tuple(findings),
        statistics=batch_statistics(counted) if finished and rows else None,
        baseline=history.of(),
        change=_change(history.previous or history.baseline, causes),
    )


class OverviewTally:
    """Collects conversations for an overview, one at a time, and keeps an entry of each."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._outcomes: Counter[Outcome] = Counter()
        self._marks: Counter[str] = Counter()

    def add(self, row: ConversationRow, case: str, tags: tuple[str, ...]) -> None:
        """Add a conversation by its row, with its case and the tags of that."""
        self._entries.append(_entry(row, case, tags))
        self._outcomes[row.first_outcome] += 1
        self._marks.update(_marks(row))

    def overview(self, batch: Batch, causes: Sequence[CauseSummary]) -> Overview:
        """Return a batch, which has its cases, at a glance."""
        return Overview(
            planned=batch.planned,
            stored=len(self._entries),
            outcomes=self._outcomes,
            weak=self._marks["weak"],
            guards=self._marks["guards"],
            crashes=self._marks["crashes"],
            doubts=self._marks["doubts"],
            retried=self._marks["retried"],
            causes=causes,
            entries=tuple(self._entries),
            families=_families(batch.ids(), self._entries),
            titles={each.id: each.title for each in causes},
        )


def _marks(row: ConversationRow) -> Iterator[str]:
    """Yield what is counted of a conversation besides its outcome."""
    crashed = row.counted.crash and row.first_outcome is Outcome.FAILED
    yield from ["weak"] * row.counted.weak + ["guards"] * row.counted.guard + ["crashes"] * crashed
    yield from ["doubts"] * bool(row.counted.doubts) + ["retried"] * (row.attempt > 1)


def _change(before: CauseTally | None, now: CauseTally) -> Difference | None:
    """Return the change of the pass rate by common cases; None if none is decided in both."""
    from sparring.statistics.differences import difference  # numpy takes longer than a short command

    cases = sorted(common_cases(before, now)) if before else ()
    if before is None or not cases:
        return None
    rows = [
        [[float(not each.causes) for each in side.seen[case] if each.decided] for case in cases]
        for side in (before, now)
    ]
    found = difference(*rows)
    return found if found.value is not None else None


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


def _families(cases: Mapping[str, str], entries: Sequence[Entry]) -> tuple[Family, ...]:
    """Return the families of a batch, one for each scenario, the worst first."""
    found: dict[str, list[Entry]] = {}
    for each in entries:
        found.setdefault(scenario(each.case), []).append(each)
    planned = Counter(map(scenario, cases.values()))
    made = [_family(name, found.get(name, []), planned[name]) for name in planned]
    return tuple(sorted(made, key=lambda each: (each.passed / each.decided if each.decided else 2, each.name)))


def _family(name: str, entries: Sequence[Entry], planned: int) -> Family:
    from sparring.statistics.rates import rate  # numpy takes longer than a short command

    rows: dict[str, list[float]] = {}
    for each in entries:
        if each.outcome in (Outcome.PASSED, Outcome.FAILED):
            rows.setdefault(each.case, []).append(float(each.outcome is Outcome.PASSED))
    values = list(rows.values())
    return Family(
        name=name,
        entries=tuple(entries),
        not_run=planned - len(entries),
        passed=int(sum(map(sum, values))),
        decided=sum(map(len, values)),
        rate=rate(values, claim="like these") if values else None,
        turns=median(each.turns for each in entries) if entries else 0,
    )
