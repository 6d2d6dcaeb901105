"""Answers of a user to a confirmation or a question: yes, no, a doubt, or that it has no answer."""

from typing import Literal

from sparring.audit.phrases import patterns, words
from sparring.extraction.tokens import cached, fold, stems

Answer = Literal["yes", "no", "doubt", ""]

_NO_BUT_YES = patterns("no_but_yes")
"""A yes in words of a no: "no changes"."""

_NO = patterns("no")
_YES = patterns("yes")
_DOUBT = patterns("doubt")
_THUMBS = frozenset("👍👌✅")
_GOES_ON = patterns("goes_on")
_REFERS = stems(words("refers"))
"""Stems of words that are polite or refer to what was said, and add nothing to a no."""


@cached
def answer(text: str) -> Answer:
    """Return how a message answers a confirmation; empty if its words do not tell."""
    said = fold(text)
    plain = _NO_BUT_YES(text).sub(" yes ", said)
    if _NO(text).search(plain) or plain.lstrip(" ¡¿").startswith("no"):
        return "no"
    if _DOUBT(text).search(plain) or "?" in text:
        return "doubt"
    return "yes" if _YES(text).search(plain) or not _THUMBS.isdisjoint(text) else ""


@cached
def agrees(text: str) -> bool:
    """Return True if a message agrees to what the chatbot asked to confirm."""
    return answer(text) == "yes"


@cached
def added_to_no(text: str) -> frozenset[str] | None:
    """Return the stems that a no has besides its own words; None for what is no no, or goes on."""
    if answer(text) != "no" or "?" in text or _GOES_ON(text).search(fold(text)):
        return None
    return stems(_YES(text).sub(" ", _NO(text).sub(" ", fold(text)))) - _REFERS
