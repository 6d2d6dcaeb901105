"""Which languages the patterns know, and what is said of others."""

import re
from functools import lru_cache

from sparring.core.case import Case

_KNOWN = frozenset("english spanish russian en es ru español castellano русский".split())
_LETTERS = re.compile(r"[^\W\d_]")
_FOREIGN = re.compile("[^\\W\\d_\x00-\u052f\u1e00-\u1fff]")
"""A letter that is neither Latin, Greek nor Cyrillic."""

_MISREAD = (
    "goals and outputs are read by patterns that know English, Spanish and Russian: {what}, what is refused, asked or "
    "only repeated may be taken for an answer (a model reads every language: --reader)"
)


def unread(case: Case) -> tuple[str, ...]:
    """What is to be said of a case whose language the patterns do not know."""
    if not case.goals and not case.outputs:
        return ()
    return _unread(case.persona.language, tuple([goal.text for goal in case.goals]))


@lru_cache(maxsize=256)
def _unread(language: str, goals: tuple[str, ...]) -> tuple[str, ...]:
    words = re.findall(r"\w+", language.casefold())
    if words and _KNOWN.isdisjoint(words):
        return (_MISREAD.format(what=f"in {language}"),)
    text = " ".join(goals)
    if 2 * len(_FOREIGN.findall(text)) > len(_LETTERS.findall(text)):
        return (_MISREAD.format(what="in the letters that the goals are written in"),)
    return ()
