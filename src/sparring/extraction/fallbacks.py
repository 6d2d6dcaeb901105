"""Recognition of fallbacks: replies in which the chatbot says that it did not understand."""

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from sparring.extraction.speech_acts import is_request
from sparring.extraction.tokens import MAX_MESSAGE, cached, fold, pattern, sentences, tokens, word_matcher
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MAX_PARDON = 30
_MIN_SIMILARITY = 85
"""Minimum similarity, from 0 to 100, of a reply and a known fallback.

Wording drifts, but helpful answers stay below it, because ordered letters are compared, not bags of words.
"""

_NOT_UNDERSTOOD = cached(word_matcher(_WORDS["not_understood"]))
_PARDON = pattern(_WORDS["pardon"], start="")
"""A reply that only asks to say it again: "Pardon?"."""

_MAX_WORDS = 40
"""Maximum number of words in a fallback. A longer reply is one if it states nothing else."""


@lru_cache(maxsize=8192)
def is_fallback(text: str, known: tuple[str, ...] = ()) -> bool:
    """Return True if `text` means "I did not understand": a `known` sentence or a usual phrase."""
    if known and (said := _plain(text)) and any(_is_similar(said, _plain(sentence)) for sentence in known):
        return True
    if len(text) <= _MAX_PARDON and _PARDON.fullmatch(fold(text)):
        return True
    if not _NOT_UNDERSTOOD(text):
        return False
    return len(tokens(text[:MAX_MESSAGE])) <= _MAX_WORDS or _states_nothing_else(text[:MAX_MESSAGE])


def _states_nothing_else(text: str) -> bool:
    said = [each.text for each in sentences(text) if not (each.asks or is_request(each.text))]
    return bool(said) and all(map(_NOT_UNDERSTOOD, said))


def _is_similar(said: str, known: str) -> bool:
    if not known:
        return False
    if fuzz.ratio(said, known, score_cutoff=_MIN_SIMILARITY) or said.startswith(known):
        return True
    opening = _opening(known)
    return bool(opening) and said.startswith(opening)


def _plain(text: str) -> str:
    return " ".join(tokens(text[:MAX_MESSAGE]))


@lru_cache(maxsize=256)
def _opening(known: str) -> str:
    """Return the first eight words of a known fallback, or an empty string if it is shorter."""
    first = known.split()[:8]
    return " ".join(first) if len(first) == 8 else ""


def trailing_fallbacks(last_first: Iterable[str], known: tuple[str, ...]) -> int:
    """Return the number of consecutive fallbacks among the last replies, given latest first."""
    number = 0
    for text in last_first:
        if not is_fallback(text, known):
            break
        number += 1
    return number
