"""Agreement of people with the audit on the party to blame."""

from collections.abc import Iterable, Iterator, Sequence

from pydantic import NonNegativeInt

from sparring.core.audit import Blame
from sparring.core.value import Value
from sparring.reports.rate_text import kappa_text
from sparring.reports.scores import ENOUGH
from sparring.statistics.estimates import Interval


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
