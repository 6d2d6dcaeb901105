"""Excuses: failed checks that faults of the simulated user or of the case explain."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sparring.core.audit import AUDIT, EVERYTHING, Blame, Fault, Need
from sparring.core.case import Case
from sparring.core.verdict import CheckOutcome, Verdict

UNFIT = 3
"""Number of different certain faults that make a failed conversation void even if none touches a goal."""


@dataclass(frozen=True, slots=True)
class Excuse:
    """Faults that make a conversation void, the earliest first; none if it counts.

    `doubts` are kinds of likely faults that would have excused a failed check, had they been certain.
    """

    faults: tuple[Fault, ...] = ()
    doubts: tuple[str, ...] = ()


def excuse(case: Case, verdicts: Sequence[Verdict]) -> Excuse:
    """Return the faults that explain all failed checks of a conversation.

    A fault explains a check if it touches what the check reads and came before it. Where no check failed, a fault that
    touches anything is enough: the conversation is not the one that was planned.
    """
    found = [fault for each in verdicts if each.by == AUDIT and each.audit for fault in each.audit.faults]
    if not found:
        return Excuse()
    certain = [fault for fault in found if fault.certainty == "certain"]
    failed = [each for each in verdicts if each.outcome is CheckOutcome.FAIL]
    excusing = _excusing(case, certain, failed)
    if not excusing and failed and len({fault.kind for fault in certain}) >= UNFIT:
        excusing = tuple(certain)
    if excusing:
        return Excuse(faults=excusing)
    likely = [fault for fault in found if fault.certainty == "likely"]
    doubted = _excusing(case, [*certain, *likely], failed) if failed else ()
    return Excuse(doubts=tuple(dict.fromkeys(fault.kind for fault in doubted if fault.certainty == "likely")))


def _excusing(case: Case, faults: Iterable[Fault], failed: Iterable[Verdict]) -> tuple[Fault, ...]:
    """Return the faults that excuse all failed checks, the earliest first; empty if one stays unexcused."""
    touching = [(fault, _touched(case, fault)) for fault in faults if fault.touches and _excuses(fault)]
    parts = list(_parts(failed))
    used = [[fault for fault, touched in touching if _explains(fault, touched, part)] for part in parts]
    if not all(used):
        return ()
    kept = [fault for fault, _ in touching] if not parts else [fault for each in used for fault in each]
    return tuple(sorted({id(fault): fault for fault in kept}.values(), key=lambda fault: fault.evidence[0].at))


def _excuses(fault: Fault) -> bool:
    return fault.blame in (Blame.USER, Blame.CASE)


def _parts(failed: Iterable[Verdict]) -> Iterator[Need]:
    for verdict in failed:
        if verdict.needs:
            yield from verdict.needs
        else:
            yield Need(names=(EVERYTHING,), until=max((each.at for each in verdict.evidence), default=None))


def _explains(fault: Fault, touched: frozenset[str], part: Need) -> bool:
    """Return True if a fault came in time for a part of a check and touches what it reads."""
    if part.until is not None and fault.evidence[0].at > part.until:
        return False
    return EVERYTHING in touched or EVERYTHING in part.names or not touched.isdisjoint(part.names)


def _touched(case: Case, fault: Fault) -> frozenset[str]:
    """Return what a fault touches, with the goals of touched variables and the parts of touched goals.

    A goal that is touched together with some of its variables is touched by these only.
    """
    touched = set(fault.touches)
    for number, goal in enumerate(case.goals, 1):
        name, own = f"goal:{number}", {*goal.variables, *([f"output:{goal.output}"] if goal.output else [])}
        if not own.isdisjoint(fault.touches):
            touched.add(name)
        elif name in fault.touches:
            touched |= own
    values = (str(case.variables[name]).casefold() for name in touched & case.variables.keys())
    return frozenset(touched | {f"value:{value}" for value in values})
