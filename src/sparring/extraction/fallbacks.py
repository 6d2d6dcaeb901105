"""Whether a chatbot says that it did not understand."""

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from sparring.extraction.tokens import LONGEST, spotting, tokens

_SAME = 85
"""How alike (0-100, edit distance) a reply and a known fallback must be: wording drifts, helpful answers do not come
near, because it is letters in order that are compared and not a bag of words."""

_NOT_UNDERSTOOD = spotting(
    r"(?:did not|didn't|do not|don't|does not|could not|couldn't|can not|cannot|can't) (?:quite |really )?"
    r"(?:understand|get (?:that|what you)|catch (?:that|what)|follow you|hear (?:that|you))",
    r"not (?:quite )?(?:sure|positive|certain) (?:that )?i (?:quite )?understand",
    r"(?:can|could|would) you (?:please )?(?:rephrase|repeat|say (?:that|it) again|try again)",
    r"please (?:rephrase|repeat|try (?:again|rephrasing))",
    r"no (?:te |le |lo )?(?:he )?(?:entiendo|entendi|entendido|comprendo)",
    r"(?:puedes|puede|podrias|podria) (?:repetir|reformular|decirlo de otra)",
    r"(?:repetir|repetirlo) con otras palabras",
    r"не (?:понял|поняла|понимаю|расслышал)",
    r"(?:повторите|переформулируи?те)\b",
)
_LONG = 40
"""A reply of more words than this says something of its own, whatever it apologises for."""


@lru_cache(maxsize=8192)
def is_fallback(text: str, known: tuple[str, ...] = ()) -> bool:
    """Whether `text` means "I did not understand": one of the `known` sentences, or the usual words for it."""
    if known and (said := _plain(text)) and any(_same(said, _plain(sentence)) for sentence in known):
        return True
    return _NOT_UNDERSTOOD(text) and len(tokens(text[:LONGEST])) <= _LONG


def _same(said: str, known: str) -> bool:
    if not known:
        return False
    if fuzz.ratio(said, known, score_cutoff=_SAME) or said.startswith(known):
        return True
    opening = _opening(known)
    return bool(opening) and said.startswith(opening)


def _plain(text: str) -> str:
    return " ".join(tokens(text[:LONGEST]))


@lru_cache(maxsize=256)
def _opening(known: str) -> str:
    """The first words of a known fallback, where they are enough to be recognised by."""
    first = known.split()[:8]
    return " ".join(first) if len(first) == 8 else ""


def trailing_fallbacks(last_first: Iterable[str], known: tuple[str, ...]) -> int:
    """How many of the last replies in a row were fallbacks; no earlier one than has to be is looked at."""
    number = 0
    for text in last_first:
        if not is_fallback(text, known):
            break
        number += 1
    return number
