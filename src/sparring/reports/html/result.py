"""The result of a batch as its page and the HTML report show it, with addresses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.reports.causes import MOST_CAUSES, CauseSummary, shortest_prefixes, status_text
from sparring.reports.html.components import Cell
from sparring.reports.html.formatting import shown
from sparring.reports.overview import NOT_RUN, Family, Overview
from sparring.reports.trust import trust_lines

_FAMILIES = 40


@dataclass(frozen=True)
class Addresses:
    """Addresses that a result links to, empty where there is none.

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
    """A family of cases with the address of its conversations and a square for each."""

    family: Family
    url: str
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
    cells = [
        Cell(
            entry.outcome,
            addresses.conversation(entry.id, family.name),
            shown(", ".join(filter(None, (entry.id, entry.outcome, found.titles.get(entry.cause))))),
        )
        for entry in family.entries
    ]
    return FamilyView(family, addresses.family(family.name), [*cells, *[Cell(NOT_RUN)] * family.not_run])


def result_view(found: Overview, addresses: Addresses) -> dict[str, Any]:
    """Return what the template of a result shows of a batch at its end."""
    return {
        "causes": cause_views(found.causes, addresses)[:MOST_CAUSES],
        "smaller": found.causes[MOST_CAUSES:],
        "gone": [(status_text(each), each) for each in found.gone],
        "families": [_family_view(found, each, addresses) for each in found.families[:_FAMILIES]],
        "trust": trust_lines(found),
    }
