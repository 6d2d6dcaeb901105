"""Causes of a batch with their addresses, as pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring.reports.causes import CauseSummary, shortest_prefixes, status_text
from sparring.web.pages.selection import Selection, conversation_url


@dataclass(frozen=True)
class CauseView:
    """A cause with its short id, status in words, and addresses of its conversations and example."""

    cause: CauseSummary
    id: str
    url: str
    example: str
    status: str


def cause_views(batch: str, causes: Sequence[CauseSummary]) -> list[CauseView]:
    """Return causes with their addresses."""
    short = shortest_prefixes(tuple(each.id for each in causes))
    found = []
    for each in causes:
        inside = Selection(cause=each.id)
        example = conversation_url(batch, each.example.conversation, inside, "evidence")
        url = f"/batches/{batch}/conversations?{inside.query}"
        found.append(CauseView(each, short[each.id], url, example, status_text(each)))
    return found
