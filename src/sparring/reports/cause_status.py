"""Causes of a batch against its baseline: new, grew, shrank, known, back, fixed, or not tested."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

from pydantic import NonNegativeInt

from sparring.core.case import same_cases
from sparring.core.causes import CauseStatus
from sparring.core.value import Value
from sparring.reports.causes import CauseSummary, CauseTally
from sparring.statistics.estimates import Difference

SIGNIFICANT = 0.05


class CauseBaseline(Value):
    """The batch that causes are compared with, and its number among the runs of the name.

    It is `pinned` if it was accepted, else the previous finished run. `previous` is that run if another one is pinned,
    `previous_run` its number.
    """

    batch: str
    run: NonNegativeInt = 0
    pinned: bool = False
    previous: str = ""
    previous_run: NonNegativeInt = 0


@dataclass(frozen=True)
class CauseHistory:
    """Earlier runs of the name of a batch.

    `baseline` is the pinned run, else the previous one; `previous` is that one if another is pinned. `first` has the
    first run of each cause, `runs` the numbers of all runs.
    """

    baseline: CauseTally | None = None
    previous: CauseTally | None = None
    pinned: bool = False
    first: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=dict)

    def of(self) -> CauseBaseline | None:
        """Return the baseline by its id; None if there is none."""
        if self.baseline is None:
            return None
        batch = self.baseline.batch.id
        previous = self.previous.batch.id if self.previous else ""
        runs = {"run": self.runs.get(batch, 0), "previous_run": self.runs.get(previous, 0)}
        return CauseBaseline(batch=batch, pinned=self.pinned, previous=previous, **runs)

    def change(self, now: CauseTally) -> Difference | None:
        """Return the change of the pass rate since the previous run; None without common cases."""
        from sparring.statistics.differences import difference  # numpy takes longer than a short command

        before = self.previous or self.baseline
        cases = sorted(common_cases(before, now)) if before else ()
        if before is None or not cases:
            return None
        rows = [
            [[float(not each.causes) for each in side.seen[case] if each.decided] for case in cases]
            for side in (before, now)
        ]
        found = difference(*rows)
        return found if found.value is not None else None


def with_status(now: CauseTally, history: CauseHistory) -> tuple[tuple[CauseSummary, ...], tuple[CauseSummary, ...]]:
    """Return the causes of a batch with their statuses, and those of its baseline that it does not show."""
    found, baseline = now.causes(), history.baseline
    if baseline is None or not baseline.recorded or not now.recorded:
        return tuple(_since(each, now, history) for each in found), ()
    before = {each.id: each for each in baseline.causes()}
    statuses = cause_statuses(baseline, now, history.first)
    earlier = cause_statuses(history.previous, now, history.first) if history.previous else {}
    shown = [
        _since(each, now, history).changed(
            status=statuses[each.id],
            previous=earlier.get(each.id),
            before=before[each.id].count if each.id in before else 0,
        )
        for each in found
    ]
    gone = [
        _since(each, now, history).changed(
            status=statuses[id],
            count=0,
            cases=0,
            share=0.0,
            also=0,
            before=each.count,
            hidden=_hidden(id, _Shown.of(baseline), _Shown.of(now))
            if statuses[id] == "fixed" and not each.every_repeat
            else None,
        )
        for id, each in before.items()
        if statuses[id] in ("fixed", "not_tested")
    ]
    return tuple(shown), tuple(gone)


def _since(cause: CauseSummary, now: CauseTally, history: CauseHistory) -> CauseSummary:
    first = history.first.get(cause.id, now.batch.id)
    return cause.changed(since=first, since_run=history.runs.get(first, 0)) if history.runs else cause


@dataclass(frozen=True)
class _Shown:
    """How often conversations of each case showed each cause, and how many others could have."""

    causes: Mapping[str, Counter[str]]
    others: Mapping[str, Counter[str]]
    clear: Counter[str]

    @classmethod
    def of(cls, tally: CauseTally) -> "_Shown":
        """Count the causes of a batch."""
        causes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        others: defaultdict[str, Counter[str]] = defaultdict(Counter)
        clear = Counter[str]()
        for case, row in tally.seen.items():
            for each in row:
                informative = each.decided and not each.blind
                clear[case] += informative
                for id in each.causes:
                    causes[id][case] += 1
                    others[id][case] += not informative
        return cls(causes, others, clear)

    def informative(self, id: str, case: str) -> int:
        """Return the number of conversations of a case that showed a cause, or could have."""
        return self.clear[case] + self.others[id][case]

    def chance(self, id: str, case: str, repeats: int) -> float:
        """Return the probability that a cause shows in this many conversations of a case."""
        total, shown = self.informative(id, case), self.causes[id][case]
        return 1 - comb(total - shown, repeats) / comb(total, repeats)


def cause_statuses(before: CauseTally, now: CauseTally, earlier: Mapping[str, str]) -> dict[str, CauseStatus]:
    """Return the status of each cause of two batches. `earlier` has causes of earlier runs."""
    cases, was, has = common_cases(before, now), _Shown.of(before), _Shown.of(now)
    found: dict[str, CauseStatus] = {id: "back" if id in earlier else "new" for id in has.causes.keys() - was.causes}
    for id in was.causes.keys() - has.causes.keys():
        tested = was.causes[id].keys() <= cases and all(has.clear[case] for case in was.causes[id])
        found[id] = "fixed" if tested else "not_tested"
    known = sorted(was.causes.keys() & has.causes.keys())
    decided = {case for case in cases if was.clear[case] and has.clear[case]}
    counts = [_counts(id, was, has, cases, decided) for id in known]
    return found | dict(zip(known, _grown(counts), strict=True))


def _grown(counts: Sequence[tuple[int, int, int]]) -> Iterator[CauseStatus]:
    """Yield the change of known causes: each has its number of cases before, now, and of all."""
    from sparring.statistics.families import fisher, holm

    p = holm([fisher(was, cases, has, cases) for was, has, cases in counts])
    for (was, has, _), adjusted in zip(counts, p, strict=True):
        yield "known" if adjusted >= SIGNIFICANT else "grew" if has > was else "shrank"


def common_cases(before: CauseTally, now: CauseTally) -> set[str]:
    """Return the cases with the same content that both batches have conversations of."""
    return same_cases(before.batch.cases, now.batch.cases) & before.seen.keys() & now.seen.keys()


def _counts(id: str, was: _Shown, has: _Shown, cases: set[str], decided: set[str]) -> tuple[int, int, int]:
    """Return the cases with a cause before and now, and all cases, by as many repeats of each.

    The numbers before and now are expected ones where one side has more repeats of a case, or nights, than the other.
    """
    about = (was.causes[id].keys() | has.causes[id].keys()) & cases
    repeats = {case: min(was.informative(id, case), has.informative(id, case)) for case in about}
    compared = len(decided - about) + sum(map(bool, repeats.values()))
    before, now = (sum(side.chance(id, *each) for each in repeats.items() if each[1]) for side in (was, has))
    return round(before), round(now), compared


def _hidden(id: str, before: _Shown, now: _Shown) -> float:
    """Return the largest share of conversations that may have a cause although none showed it."""
    shown = sum(now.clear[case] for case in before.causes[id])
    return 1 - SIGNIFICANT ** (1 / shown) if shown else 1.0
