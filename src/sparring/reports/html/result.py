"""The result of a batch as its page and the HTML report show it, with addresses."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.core.conversation import conversation_id
from sparring.reports.causes import MOST_CAUSES, CauseSummary, shortest_prefixes, status_text
from sparring.reports.html.charts import MOST_CELLS, Cell
from sparring.reports.html.formatting import shown
from sparring.reports.overview import NOT_RUN, Family, Overview
from sparring.reports.trust import trust_lines

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
    """A cause with its short id, status in words, families, and addresses."""

    cause: CauseSummary
    id: str
    url: str
    example: str
    status: str
    where: str = ""


@dataclass(frozen=True)
class FamilyView:
    """A family of cases with its address, and a square for each conversation unless there are too many."""

    family: Family
    url: str
    counts: dict[str, int]
    cells: list[Cell]


def cause_views(
    causes: Sequence[CauseSummary], addresses: Addresses, families: Sequence[Family] = ()
) -> list[CauseView]:
    """Return causes with their addresses, and where among the families they show."""
    where = defaultdict[str, Counter[str]](Counter)
    for family in families:
        for _, entries in family.cases:
            for each in entries:
                where[each.cause][family.name] += 1
    short = shortest_prefixes(tuple(each.id for each in causes))
    return [
        CauseView(
            each,
            short[each.id],
            addresses.cause(each.id),
            addresses.example(each.example.conversation, each.id),
            status_text(each),
            _where(where[each.id]),
        )
        for each in causes
    ]


def _where(families: Counter[str]) -> str:
    """Return the families with the most conversations: `pizzas 54, custom_pizzas 36, 2 more`."""
    said = [f"{name} {count:,}" for name, count in families.most_common(_NAMED)]
    more = [f"{len(families) - _NAMED} more"] if len(families) > _NAMED else []
    return ", ".join([*said, *more])


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
        "causes": cause_views(found.causes, addresses, found.families)[:MOST_CAUSES],
        "smaller": found.causes[MOST_CAUSES:],
        "gone": [(status_text(each), each) for each in found.gone],
        "families": [_family_view(found, each, addresses) for each in found.families[:_FAMILIES]],
        "trust": trust_lines(found),
    }
