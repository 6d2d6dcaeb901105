"""Names of tools: their words, the acts that they perform, and the things that they are about."""

import re
from functools import lru_cache

from sparring.extraction.acts import DEEDS, Deed, wanted_act

_LOOK_UP = frozenset(
    "check get list find show validate verify track lookup search read view is can has describe fetch query "
    "calculate estimate quote preview count compare ask explain tell".split()
)
_REPORTS = frozenset("summary status details info information history overview".split())
"""Nouns of tools that only read, unless a verb in their name says otherwise: `order_status`, `update_status`."""

ACT_NOUNS = frozenset("order cancellation booking reservation".split())
"""Verbs and names of acts that also name the thing acted on, so that another verb beside them decides."""

_MAX_CACHED = 1024
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=_MAX_CACHED)
def words_of_tool(name: str) -> tuple[str, ...]:
    """Return the words of a name such as `cancel_order` or `cancelOrder`."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=_MAX_CACHED)
def looks_up(name: str) -> bool:
    """Return True if a tool only reads, by its name."""
    words = set(words_of_tool(name))
    reports = words & _REPORTS and not any(map(wanted_act, words - ACT_NOUNS - _REPORTS))
    return bool(words & _LOOK_UP or reports)


_VERBS = frozenset[str]().union(*(deed.verbs for deed in DEEDS)) - ACT_NOUNS


@lru_cache(maxsize=_MAX_CACHED)
def deeds_of_tool(name: str, description: str) -> frozenset[Deed]:
    """Return the deeds that a tool does, by its name and by the first word of its description."""
    if looks_up(name):
        return frozenset()
    tokens = words_of_tool(name)
    described = set(words_of_tool(description)[:1])
    for words in ({*tokens, *described} - ACT_NOUNS, {*tokens, *described}):
        if found := frozenset(deed for deed in DEEDS if words & deed.verbs):
            return found
    return frozenset()


def things_of_tool(name: str) -> frozenset[str]:
    """Return what a tool is about, by its name: the words that are no verbs, in the singular."""
    return frozenset(token.removesuffix("s") for token in words_of_tool(name) if token not in _VERBS)
