"""Reasons to trust the result of a batch, or not to: what to look at first, then what holds."""

from collections.abc import Iterator
from typing import Literal

from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.lines import counted
from sparring.reports.overview import Overview

_NAMED = 3


class TrustLine(Value):
    """One reason: `open` is to be looked at, `pass` holds, `void` is for information."""

    state: Literal["open", "pass", "void"]
    title: str
    text: str = ""


def trust_lines(found: Overview) -> list[TrustLine]:
    """Return the reasons of a batch, those to look at first."""
    lines = [*_cases(found), *_attempts(found), *_repeats(found), *_rules(found), _sum(found)]
    return sorted(lines, key=lambda each: each.state != "open")


def _cases(found: Overview) -> Iterator[TrustLine]:
    if found.weak:
        text = "A bot that does nothing useful would have passed. Say in the case what the right answer is."
        yield TrustLine(state="open", title=counted(found.weak, "weak conversation"), text=text)
    if found.guards:
        text = "Their cases only say what must not happen."
        yield TrustLine(state="void", title=counted(found.guards, "guard"), text=text)
    if found.doubts:
        text = "Likely faults of the simulated user. They change no outcome."
        yield TrustLine(state="void", title=f"{counted(found.doubts, 'conversation')} in doubt", text=text)


def _attempts(found: Overview) -> Iterator[TrustLine]:
    if found.retried:
        text = f"{counted(found.retried, 'conversation')} were run again, which no rate counts."
        yield TrustLine(state="pass", title="First attempts count", text=text)


def _repeats(found: Overview) -> Iterator[TrustLine]:
    known = found.statistics
    if known is None or not known.repeated:
        return
    if not known.mixed:
        yield TrustLine(state="pass", title="Repeats agree", text="More repeats add nothing; more cases do.")
        return
    named = ", ".join(each.case for each in known.mixed_cases[:_NAMED])
    title = f"{known.mixed:,} of {counted(known.repeated, 'case')} came out both ways"
    yield TrustLine(state="open", title=title, text=f"{named}{', …' if known.mixed > _NAMED else ''}")


def _rules(found: Overview) -> Iterator[TrustLine]:
    idle = [each.rule for each in found.findings if each.outcome is CheckOutcome.NOT_APPLICABLE]
    if idle:
        title = f"{counted(len(idle), 'rule')} not exercised"
        yield TrustLine(state="open", title=title, text=", ".join(idle[:_NAMED]))
    elif found.findings:
        yield TrustLine(state="pass", title=f"All {counted(len(found.findings), 'rule')} were exercised")


def _sum(found: Overview) -> TrustLine:
    counts = " + ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in found.counts.items() if count)
    return TrustLine(state="pass", title=f"All {found.planned:,} planned conversations are counted", text=counts)
