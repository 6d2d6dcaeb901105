"""Causes of a batch against its baseline: new, grew, shrank, known, back, fixed, or not tested."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import NonNegativeInt

from sparring.core.causes import CauseStatus
from sparring.core.value import Value
from sparring.reports.causes import CauseSummary, CauseTally, SeenCauses

SIGNIFICANT = 0.05


class CauseBaseline(Value):
    """The batch that causes are compared with, and its number among the runs of the name.

    It is `pinned` if it was accepted, else the previous finished run. `previous` is that run if another one is pinned.
    """

    batch: str
    run: NonNegativeInt = 0
    pinned: bool = False
    previous: str = ""


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
        return CauseBaseline(batch=batch, run=self.runs.get(batch, 0), pinned=self.pinned, previous=previous)


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
            hidden=_hidden(id, baseline, now) if statuses[id] == "fixed" and not each.every_repeat else None,
        )
        for id, each in before.items()
        if statuses[id] in ("fixed", "not_tested")
    ]
    return tuple(shown), tuple(gone)


def _since(cause: CauseSummary, now: CauseTally, history: CauseHistory) -> CauseSummary:
    first = history.first.get(cause.id, now.batch.id)
    return cause.changed(since=first, since_run=history.runs.get(first, 0)) if history.runs else cause


def cause_statuses(before: CauseTally, now: CauseTally, earlier: Mapping[str, str]) -> dict[str, CauseStatus]:
    """Return the status of each cause of two batches. `earlier` has causes of earlier runs."""
    cases = common_cases(before, now)
    was, has = _ids(before), _ids(now)
    found: dict[str, CauseStatus] = {id: "back" if id in earlier else "new" for id in has - was}
    for id in was - has:
        found[id] = "fixed" if _is_tested(id, before, now, cases) else "not_tested"
    known = sorted(was & has)
    counts = [_counts(id, before, now, cases) for id in known]
    return found | dict(zip(known, _grown(counts), strict=True))


def _grown(counts: Sequence[tuple[int, int, int]]) -> Iterator[CauseStatus]:
    """Yield the change of known causes: each has its number of cases before, now, and of all."""
    from sparring.statistics.families import fisher, holm

    p = holm([fisher(was, cases, has, cases) for was, has, cases in counts])
    for (was, has, _), adjusted in zip(counts, p, strict=True):
        yield "known" if adjusted >= SIGNIFICANT else "grew" if has > was else "shrank"


def _ids(tally: CauseTally) -> set[str]:
    return {id for row in tally.seen.values() for each in row for id in each.causes}


def common_cases(before: CauseTally, now: CauseTally) -> set[str]:
    """Return the cases with the same content that both batches have conversations of."""
    contents = {case.id: case.model_copy(update={"seed": 0}) for case in before.batch.cases if case.id in before.seen}
    return {
        case.id
        for case in now.batch.cases
        if case.id in now.seen and contents.get(case.id) == case.model_copy(update={"seed": 0})
    }


def _telling(id: str, row: Sequence[SeenCauses]) -> list[bool]:
    """Return if conversations have a cause, for those that could have shown it."""
    return [id in each.causes for each in row if id in each.causes or (each.decided and not each.blind)]


def _counts(id: str, before: CauseTally, now: CauseTally, cases: set[str]) -> tuple[int, int, int]:
    """Return the cases with a cause before and now, and all cases, by as many repeats of each."""
    was = has = compared = 0
    for case in cases:
        earlier, later = _telling(id, before.seen[case]), _telling(id, now.seen[case])
        if repeats := min(len(earlier), len(later)):
            compared += 1
            was += any(earlier[:repeats])
            has += any(later[:repeats])
    return was, has, compared


def _is_tested(id: str, before: CauseTally, now: CauseTally, cases: set[str]) -> bool:
    """Return True if each case that had a cause could have shown it again."""
    had = _cases_with(id, before)
    return had <= cases and all(_telling(id, now.seen[case]) for case in had)


def _cases_with(id: str, tally: CauseTally) -> set[str]:
    return {case for case, row in tally.seen.items() if any(id in each.causes for each in row)}


def _hidden(id: str, before: CauseTally, now: CauseTally) -> float:
    """Return the largest share of conversations that may have a cause which none of them showed."""
    shown = sum(len(_telling(id, now.seen[case])) for case in _cases_with(id, before) if case in now.seen)
    return 1 - SIGNIFICANT ** (1 / shown) if shown else 1.0
