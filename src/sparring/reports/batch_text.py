"""A batch as `sparring show` prints it: its sentence, its causes, and where to look next."""

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sparring.core.audit import Blame
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.reports.causes import MOST_CAUSES, CauseSummary, example_text, gone_lines, shortest_prefixes, status_text
from sparring.reports.lines import counted
from sparring.reports.rate_text import percent
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary

if TYPE_CHECKING:
    from sparring.reports.gate import Gated

SIGNS = {"PASSED": "✓", "FAILED": "✗", "UNDECIDED": "?", "STOPPED": "?", "TOO FEW TO TELL": "?", "RUNNING": "◌"}


def batch_text(summary: Summary, which: str, gated: "Gated | None" = None) -> Iterator[str]:
    """Yield the sentence of a batch, its causes, its worst scenarios, and commands to copy.

    `which` is how it was called.
    """
    headline = sentence(summary, gated)
    yield visible(f"{SIGNS[headline.word]} {headline}")
    if headline.notes:
        yield visible(f"  {' · '.join(headline.notes)}")
    short = shortest_prefixes(tuple(each.id for each in summary.causes))
    if summary.causes:
        yield ""
        yield from _causes(summary.causes[:MOST_CAUSES], short)
    if smaller := summary.causes[MOST_CAUSES:]:
        yield f"  and {counted(len(smaller), 'smaller cause')} of {sum(each.count for each in smaller):,} conversations"
    yield from (f"  {line}" for line in gone_lines(summary.gone))
    yield ""
    rows = {"worst": " · ".join(_worst(summary)), "look at": " · ".join(_look_at(summary))}
    rows["next"] = "   ".join(_next(summary, which, short))
    yield from (visible(f"  {name:<8}  {row}") for name, row in rows.items() if row)


def _causes(causes: tuple[CauseSummary, ...], short: Mapping[str, str]) -> Iterator[str]:
    wide = max(len(f"{each.count:,}") for each in causes)
    status = max(len(status_text(each)) for each in causes)
    for each in causes:
        blame = "" if each.blame is Blame.CHATBOT else f" [{each.blame}]"
        share = f"{percent(each.share)} %" if each.outcome is Outcome.FAILED else "?"
        said = f"{status_text(each):<{status}}  " if status else ""
        yield visible(f"  {each.count:>{wide},}  {share:>5}  {said}{each.title}{blame}  {short[each.id]}")
        yield visible(f"  {'':{wide}}         {example_text(each)}")


def _worst(summary: Summary) -> Iterator[str]:
    for each in summary.worst:
        yield f"{each.scenario} {each.passed:,} of {each.conversations:,}"


def _look_at(summary: Summary) -> Iterator[str]:
    """Yield reasons not to trust the figures."""
    if summary.weak:
        yield f"{counted(summary.weak, 'conversation')} of weak cases"
    if summary.untried:
        yield "null bots are off"
    if summary.doubts:
        yield f"{summary.doubts:,} failed, which a fault of the user may explain"
    if summary.stored and not summary.agreements:
        yield "no human verdicts yet"


def _next(summary: Summary, which: str, short: Mapping[str, str]) -> Iterator[str]:
    name = shlex.quote(which)
    yield f"sparring show {name} {short[summary.causes[0].id] if summary.causes else '--all'}"
    if summary.outcomes[Outcome.FAILED]:
        yield f"sparring rerun {name} --failed"
