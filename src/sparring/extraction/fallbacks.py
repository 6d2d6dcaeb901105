"""Recognition of fallbacks: replies in which the chatbot says that it did not understand."""

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from sparring.extraction.tokens import MAX_MESSAGE, tokens, word_matcher

_MIN_SIMILARITY = 85
"""Minimum similarity, from 0 to 100, of a reply and a known fallback.

Wording drifts, but helpful answers stay below it, because ordered letters are compared, not bags of words.
"""

_NOT_UNDERSTOOD = word_matcher(
    r"(?:did not|didn't|do not|don't|does not|could not|couldn't|can not|cannot|can't) (?:quite |really )?"
    r"(?:understand|get (?:that|what you)|catch (?:that|what)|follow(?: you| that)?\b|hear (?:that|you))",
    r"(?:input|answer|reply|entry|command|message) (?:is |was )?not recogni[sz]ed",
    r"(?:invalid|unknown|unrecogni[sz]ed) (?:input|selection|entry|choice|option|command|answer)",
    r"not (?:quite )?(?:sure|positive|certain) (?:that )?i (?:quite )?understand",
    r"(?:can|could|would) you (?:please )?(?:rephrase|repeat|say (?:that|it) again|try again)",
    r"please (?:rephrase|repeat|try (?:again|rephrasing))",
    r"(?:say|put|phrase|explain) (?:that |it |this )?(?:in other words|another way|differently)",
    r"no (?:te |le |lo )?(?:he )?(?:entiendo|entendi|entendido|comprendo)",
    r"(?:puedes|puede|podrias|podria) (?:repetir|reformular|decirlo de otra)",
    r"(?:repetir|repetirlo) con otras palabras",
    r"(?:je )?n'ai pas (?:bien |tout a fait )?(?:compris|saisi)",
    r"ne (?:vous )?comprends pas",
    r"(?:pouvez|pourriez)-vous (?:s'il vous plait )?(?:reformuler|repeter|preciser votre demande)",
    r"veuillez (?:reformuler|repeter)",
    r"(?:ich )?(?:habe|konnte) (?:sie |das |dich |ihre \w+ |ihr \w+ )?(?:leider )?(?:nicht"
    r"|nicht ganz) (?:richtig )?verst[ae]",
    r"(?:ich )?verstehe (?:sie |das |leider |dich )*nicht",
    r"(?:konnen|konnten|wurden) sie (?:das |es |ihre \w+ |bitte )*(?:anders formulieren|umformulieren|wiederholen)",
    r"(?:wiederholen|formulieren) sie\b",
    r"(?:das |es )(?:bitte )?(?:anders|mit anderen worten|noch einmal) (?:sagen|ausdrucken|formulieren)",
    r"(?:le |cela |ca )?(?:dire|formuler) (?:cela )?autrement",
    r"(?:dirlo|dire questo) (?:in un altro modo|con altre parole)",
    r"(?:скажите|сформулируите|объясните) (?:это |пожалуиста )*(?:иначе|по-другому|другими словами)",
    r"non (?:ho (?:ben )?capito|capisco|ho compreso|comprendo)",
    r"(?:puo|potrebbe|puoi) (?:per favore )?(?:ripeter|riformular)\w*",
    r"(?:ripeta|riformuli)\b",
    r"nao (?:entendi|compreendi|consegui entender|entendo)",
    r"(?:pode|poderia) (?:por favor )?(?:repetir|reformular|dizer de outra)",
    r"(?:repita|reformule)\b",
    r"не (?:понял|поняла|понимаю|расслышал)",
    r"(?:повторите|переформулируи?те)\b",
)
_MAX_WORDS = 40
"""Maximum number of words in a fallback. A longer reply contains information, even with an apology."""


@lru_cache(maxsize=8192)
def is_fallback(text: str, known: tuple[str, ...] = ()) -> bool:
    """Return True if `text` means "I did not understand": a `known` sentence or a usual phrase."""
    if known and (said := _plain(text)) and any(_is_similar(said, _plain(sentence)) for sentence in known):
        return True
    return _NOT_UNDERSTOOD(text) and len(tokens(text[:MAX_MESSAGE])) <= _MAX_WORDS


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
