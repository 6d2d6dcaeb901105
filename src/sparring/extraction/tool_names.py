"""Names of tools: their words, and whether a tool only reads."""

import re

from sparring.extraction.acts import wanted_act

_LOOK_UP = frozenset(
    "check get list find show validate verify track lookup search read view is can has describe fetch query "
    "calculate estimate quote preview count compare ask explain tell".split()
)
_REPORTS = frozenset("summary status details info information history overview".split())
"""Nouns of tools that only read, unless a verb in their name says otherwise: `order_status`, `update_status`."""

ACT_NOUNS = frozenset("order cancellation booking reservation".split())
"""Verbs and names of acts that also name the thing acted on, so that another verb beside them decides."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words_of_tool(name: str) -> list[str]:
    """Return the words of a name such as `cancel_order` or `cancelOrder`."""
    return [word.lower() for word in _WORD.findall(name)]


def looks_up(name: str) -> bool:
    """Return True if a tool only reads, by its name."""
    words = set(words_of_tool(name))
    reports = words & _REPORTS and not any(map(wanted_act, words - ACT_NOUNS - _REPORTS))
    return bool(words & _LOOK_UP or reports)
