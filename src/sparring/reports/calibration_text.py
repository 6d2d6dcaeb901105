"""A calibration in words: the errors of a judge, figures corrected for them, and its stability.

Also the agreement of people with the audit on the party to blame.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import NonNegativeInt

from sparring.core.audit import Blame
from sparring.core.judgements import Calibration, Corrected, JudgeProbe
from sparring.core.text import visible
from sparring.core.value import Value
from sparring.reports.lines import counted
from sparring.reports.rate_text import kappa_text, percent, rate_text, score_bounds_text
from sparring.reports.scores import ENOUGH
from sparring.statistics.estimates import Interval

_SIDES = ("passed", "failed")
_SURE = 0.05


def calibration_text(found: Calibration) -> Iterator[str]:
    """Yield the errors of a judge, and the figures corrected for them."""
    by = found.judge if found.check == found.judge else f"{found.judge} by {found.check}"
    labels = f"{counted(found.labels, 'label')} of {counted(found.conversations, 'conversation')}"
    yield visible(f"Judge {by}: {labels}, {found.population}; cases like these")
    for people in _SIDES if found.labels else ():
        cells = (f"{found.confusion.get(f'{people}/{judge}', 0):g} {judge}" for judge in (*_SIDES, "undecided"))
        yield f"  people: {people}; judge: {', '.join(cells)}"
    if found.labels:
        yield f"  sensitivity {_agreed(found.sensitivity, 'pass', 'passes')}"
        yield f"  specificity {_agreed(found.specificity, 'fail', 'fails')}"
        yield f"  kappa {_figure(found.kappa)}, AC1 {_figure(found.ac1)}"
    if found.scored:
        equal = f"equal scores {found.equal:,} of {found.scored:,}, within 1 {found.within_one:,} of {found.scored:,}"
        weighted = f", weighted kappa {_figure(found.score_kappa)}" if found.score_kappa else ""
        yield f"  {equal}{weighted}"
    if found.shared:
        agreement = f"kappa {_figure(found.people_kappa)}, AC1 {_figure(found.people_ac1)}"
        yield f"  people with each other, {found.shared:,} labelled by two: {agreement}"
    if found.refused:
        yield f"Not corrected: {found.refused}"
    if found.pass_rate:
        yield f"Pass rate: {_corrected(found.pass_rate, _rate)}, as judged {percent(found.pass_rate.uncorrected)} %"
    if found.mean_score:
        yield f"Mean score: {_corrected(found.mean_score, _score)}, as judged {found.mean_score.uncorrected:.2f}"
    if found.probes:
        yield "Verdicts that moved, although the change alters nothing the judge is asked about; cases like these"
    for each in found.probes:
        by = f", {each.judge}" if each.judge != found.judge else ""
        yield visible(f"  {_PROBES[each.probe]}{by}: {_moved(each)}")


_PROBES = {
    "again": "asked again",
    "order": "goals, values and levels in the opposite order",
    "verbosity": "replies padded with filler",
    "paraphrase": "replies in other words",
}


def _moved(found: JudgeProbe) -> str:
    """Return how many verdicts a probe moved, and where to."""
    decided = found.asked - found.undecided
    turned = f"{found.to_pass} to passed, {found.to_fail} to failed"
    parts = [f"{_rate(found.moved)} of {decided:,}", turned] if decided else []
    if found.shift is not None and found.shift.value is not None:
        parts.append(f"mean score {found.shift.value:+.2f} [{found.shift.low:+.2f}, {found.shift.high:+.2f}]")
    parts += [f"{found.undecided:,} undecided"] if found.undecided else []
    parts += ["MORE THAN ASKED AGAIN"] if found.p < _SURE and found.probe != "again" else []
    return "; ".join(parts)


def corrected_text(name: str, found: Corrected) -> str:
    """Return a corrected figure by the name that a gate has for it."""
    return f"corrected for the judge's errors {(_rate if name == 'pass_rate' else _score)(found.corrected)}"


def _corrected(found: Corrected, text: Callable[[Interval], str]) -> str:
    return f"corrected {text(found.corrected)}, by the labels alone {text(found.labels_alone)}"


def _rate(found: Interval | None) -> str:
    return "unknown" if found is None or found.value is None else rate_text(found)


def _agreed(found: Interval | None, people: str, judge: str) -> str:
    if found is None or found.value is None:
        return f"unknown: people {people} nothing"
    return f"{_rate(found)} of what people {people}, the judge {judge}"


def _score(found: Interval) -> str:
    return "unknown" if found.value is None else f"{found.value:.2f} [{score_bounds_text(found)}]"


def _figure(found: Interval | None) -> str:
    return (
        "unknown" if found is None or found.value is None else f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
    )


class BlameAgreement(Value):
    """Agreement on one party in `n` conversations: both or neither blame it in `agreed` of them.

    `by_people` and `by_audit` count the conversations in which each does. `kappa` is Cohen's, with an interval by a
    jackknife over cases; None for fewer than ten conversations, or if no blame differs.
    """

    blame: Blame
    n: NonNegativeInt
    agreed: NonNegativeInt
    by_people: NonNegativeInt
    by_audit: NonNegativeInt
    kappa: Interval | None = None


def agreements_on_blame(
    rows: Iterable[Sequence[tuple[Blame | None, Blame | None]]],
) -> tuple[BlameAgreement, ...]:
    """Return the agreement on each party that one side blames.

    A row is a case, with the parties that a person and the audit blame for each of its conversations.
    """
    by_case = [list(row) for row in rows]
    pairs = [pair for row in by_case for pair in row]
    return tuple(_agreement(blame, by_case) for blame in Blame if any(blame in pair for pair in pairs))


def _agreement(blame: Blame, rows: list[list[tuple[Blame | None, Blame | None]]]) -> BlameAgreement:
    from sparring.statistics.agreement import weighted_kappa  # numpy takes longer than a short command

    blamed = [[(float(person is blame), float(audit is blame)) for person, audit in row] for row in rows]
    pairs = [pair for row in blamed for pair in row]
    return BlameAgreement(
        blame=blame,
        n=len(pairs),
        agreed=sum(person == audit for person, audit in pairs),
        by_people=sum(person > 0 for person, _ in pairs),
        by_audit=sum(audit > 0 for _, audit in pairs),
        kappa=weighted_kappa(blamed) if len(pairs) >= ENOUGH else None,
    )


def blame_agreement_text(found: Sequence[BlameAgreement]) -> Iterator[str]:
    """Yield the agreement on each party; nothing without labels."""
    if found:
        yield f"Agreement with people on blame, {found[0].n:,} labelled:"
    for each in found:
        counts = f"{each.by_people:,} by people, {each.by_audit:,} by the audit"
        yield f"  {each.blame}: {each.agreed:,} of {each.n:,} ({counts}){kappa_text('kappa', each.kappa)}"
