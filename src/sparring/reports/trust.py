"""Reasons to trust the figures of a batch, and reasons to look at first."""

from collections.abc import Iterator
from typing import Literal

from pydantic import NonNegativeInt

from sparring.core.outcome import Outcome
from sparring.core.value import Json, Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.lines import counted
from sparring.reports.sentence import BatchFacts

_NAMED = 3


class TrustLine(Value):
    """One reason: `open` needs a look, `pass` holds, `void` is for information."""

    id: str
    state: Literal["open", "pass", "void"]
    title: str
    text: str = ""
    count: NonNegativeInt = 0


def trust_lines(found: BatchFacts) -> list[TrustLine]:
    """Return the reasons of a batch, those to look at first."""
    lines = [*_cases(found), *_attempts(found), *_repeats(found), *_rules(found), _sum(found)]
    return sorted(lines, key=lambda each: each.state != "open")


def _cases(found: BatchFacts) -> Iterator[TrustLine]:
    if found.weak:
        text = "A bot that does nothing useful would have passed. Say in the case what the right answer is."
        yield TrustLine(
            id="weak", count=found.weak, state="open", title=counted(found.weak, "weak conversation"), text=text
        )
    if found.guards:
        text = "Their cases only say what must not happen."
        yield TrustLine(id="guards", count=found.guards, state="void", title=counted(found.guards, "guard"), text=text)
    if found.doubts:
        text = "Likely faults of the simulated user. They change no outcome."
        title = f"{counted(found.doubts, 'conversation')} in doubt"
        yield TrustLine(id="doubts", count=found.doubts, state="void", title=title, text=text)


def _attempts(found: BatchFacts) -> Iterator[TrustLine]:
    if found.retried:
        text = f"{counted(found.retried, 'conversation')} were run again, which no rate counts."
        yield TrustLine(id="attempts", count=found.retried, state="pass", title="First attempts count", text=text)


def _repeats(found: BatchFacts) -> Iterator[TrustLine]:
    known = found.statistics
    if known is None or not known.repeated:
        return
    if not known.mixed:
        text = "More repeats add nothing; more cases do."
        yield TrustLine(id="repeats", count=known.repeated, state="pass", title="Repeats agree", text=text)
        return
    named = ", ".join(each.case for each in known.mixed_cases[:_NAMED])
    title = f"{known.mixed:,} of {counted(known.repeated, 'case')} came out both ways"
    text = f"{named}{', …' if known.mixed > _NAMED else ''}"
    yield TrustLine(id="repeats", count=known.mixed, state="open", title=title, text=text)


def _all(number: int, noun: str, done: str, *, now: bool = False) -> str:
    """Return that all of a number of things were done, in the singular for one."""
    if number == 1:
        return f"The only {noun} {'is' if now else 'was'} {done}"
    return f"All {counted(number, noun)} {'are' if now else 'were'} {done}"


def _rules(found: BatchFacts) -> Iterator[TrustLine]:
    idle = [each.rule for each in found.findings if each.outcome is CheckOutcome.NOT_APPLICABLE]
    if idle:
        title = f"{counted(len(idle), 'rule')} not exercised"
        text = ", ".join(idle[:_NAMED])
        yield TrustLine(id="not_exercised", count=len(idle), state="open", title=title, text=text)
    elif found.findings:
        number = len(found.findings)
        yield TrustLine(id="exercised", count=number, state="pass", title=_all(number, "rule", "exercised"))


def _sum(found: BatchFacts) -> TrustLine:
    counts = {outcome.value: found.outcomes.get(outcome, 0) for outcome in Outcome} | {"not run": found.not_run}
    text = " + ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    title = _all(found.planned, "planned conversation", "counted", now=True)
    return TrustLine(id="planned", count=found.planned, state="pass", title=title, text=text)


def trust_json(found: BatchFacts) -> list[Json]:
    """Return the reasons as JSON."""
    return [
        {
            "id": each.id,
            "state": each.state,
            "text": ": ".join(filter(None, (each.title, each.text))),
            "count": each.count,
        }
        for each in trust_lines(found)
    ]
