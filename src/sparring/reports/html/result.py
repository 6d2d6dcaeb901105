"""The result of a batch as its page and the HTML report show it, with addresses."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sparring.core.conversation import conversation_id
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.causes import MOST_CAUSES, CauseSummary, shortest_prefixes, status_text
from sparring.reports.html.charts import MOST_CELLS, Cell
from sparring.reports.html.formatting import shown
from sparring.reports.lines import counted
from sparring.reports.overview import NOT_RUN, Family, Overview

_FAMILIES = 40
_NAMED = 3


@dataclass(frozen=True)
class Addresses:
    """Links of a result; empty if there are none.

    `example` takes a conversation and its cause, `conversation` one and its family.
    """

    cause: Callable[[str], str]
    example: Callable[[str, str], str]
    family: Callable[[str], str]
    conversation: Callable[[str, str], str]


@dataclass(frozen=True)
class CauseView:
    """A cause with its short id, status in words, and addresses of its conversations and example."""

    cause: CauseSummary
    id: str
    url: str
    example: str
    status: str


@dataclass(frozen=True)
class FamilyView:
    """A family of cases with its address, and a square for each conversation unless there are too many."""

    family: Family
    url: str
    counts: dict[str, int]
    cells: list[Cell]


def cause_views(causes: Sequence[CauseSummary], addresses: Addresses) -> list[CauseView]:
    """Return causes with their addresses."""
    short = shortest_prefixes(tuple(each.id for each in causes))
    return [
        CauseView(
            each,
            short[each.id],
            addresses.cause(each.id),
            addresses.example(each.example.conversation, each.id),
            status_text(each),
        )
        for each in causes
    ]


def _family_view(found: Overview, family: Family, addresses: Addresses) -> FamilyView:
    counts, cells = family.counts, list[Cell]()
    if sum(counts.values()) <= MOST_CELLS:
        for case, entries in family.cases:
            for each in entries:
                id = conversation_id(case, each.repeat)
                said = ", ".join(filter(None, (id, each.outcome, found.titles.get(each.cause))))
                cells.append(Cell(each.outcome, addresses.conversation(id, family.name), shown(said)))
        cells += [Cell(NOT_RUN)] * family.not_run
    return FamilyView(family, addresses.family(family.name), counts, cells)


def result_view(found: Overview, addresses: Addresses) -> dict[str, Any]:
    """Return what the template of a result shows of a batch at its end."""
    return {
        "causes": cause_views(found.causes, addresses)[:MOST_CAUSES],
        "smaller": found.causes[MOST_CAUSES:],
        "gone": [(status_text(each), each) for each in found.gone],
        "families": [_family_view(found, each, addresses) for each in found.families[:_FAMILIES]],
        "trust": trust_lines(found),
    }


class TrustLine(Value):
    """One reason: `open` needs a look, `pass` holds, `void` is for information."""

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


def _all(number: int, noun: str, done: str, *, now: bool = False) -> str:
    """Return that all of a number of things were done, in the singular for one."""
    if number == 1:
        return f"The only {noun} {'is' if now else 'was'} {done}"
    return f"All {counted(number, noun)} {'are' if now else 'were'} {done}"


def _rules(found: Overview) -> Iterator[TrustLine]:
    idle = [each.rule for each in found.findings if each.outcome is CheckOutcome.NOT_APPLICABLE]
    if idle:
        title = f"{counted(len(idle), 'rule')} not exercised"
        yield TrustLine(state="open", title=title, text=", ".join(idle[:_NAMED]))
    elif found.findings:
        yield TrustLine(state="pass", title=_all(len(found.findings), "rule", "exercised"))


def _sum(found: Overview) -> TrustLine:
    counts = " + ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in found.counts.items() if count)
    return TrustLine(state="pass", title=_all(found.planned, "planned conversation", "counted", now=True), text=counts)
