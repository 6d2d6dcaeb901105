"""Acts that a reply says were not done: "could not book your room", "the booking failed"."""

import re
from collections.abc import Iterator
from functools import cache

from sparring.extraction.acts import DEEDS, Deed
from sparring.extraction.claims import claims
from sparring.extraction.tokens import Sentence, cached, stems
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)
_NOT = re.compile(r" not\b|n['’]t\b", re.IGNORECASE)
_MAY_DENY = re.compile(
    "|".join((_NOT.pattern, r"\bno ", *(_WORDS[each] for each in ("unable", "undone", "failed")))), re.IGNORECASE
)
"""Words of sentences that may deny; most have none."""

_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)
_REASON = re.compile(r"[,;:]? (?:because|due to|since|as (?:the|we|our)|weil|porque|parce que)\b.*", re.IGNORECASE)
_REGRET = stems(_WORDS["regret"])
_NOUNS = {
    "book": _WORDS["book"],
    "cancel": _WORDS["cancel"],
    "place": _WORDS["place"],
    "refund": _WORDS["refund"],
    "transfer": _WORDS["transfer"],
}
"""Nouns of deeds, by their names."""


@cached
def denied_deeds(sentence: str) -> tuple[Deed, ...]:
    """Return the deeds that a sentence says were not done; of vague ones it cannot be told."""
    if not _MAY_DENY.search(sentence):
        return ()
    opposite = _NOT.sub("", sentence, count=1)
    stated = [each.deed for each in claims(opposite)] if opposite != sentence else []
    return tuple(each for each in DEEDS if not each.vague and (each in stated or _denial_of(each).search(sentence)))


@cache
def _denial_of(deed: Deed) -> re.Pattern[str]:
    verbs, done, nouns = "|".join(sorted(deed.verbs)), "|".join(deed.forms()), _NOUNS.get(deed.name, "(?!)")
    some = r"(?:[^\W\d]+ ){0,2}"
    return re.compile(
        rf"\b(?:{_WORDS['unable']}) (?:{some}(?:{verbs})|get {some}(?:{done}))\b"
        rf"|\b(?:{_WORDS['undone']}) {some}(?:{done})\b"
        rf"|\b(?:{nouns}) (?:{_WORDS['failed']})\b|\bno (?:{nouns}) {_WORDS['none_made']}\b",
        re.IGNORECASE,
    )


def only_about(sentence: Sentence, deed: Deed, known: frozenset[str]) -> bool:
    """Return True if a denial names nothing but `known` stems, so that it is about what was asked for."""
    said = _CONTRACTED.sub(" not", _REASON.sub("", sentence.text))
    own = stems(" ".join((*deed.verbs, *_plain_forms(deed), *_nouns(deed))))
    return stems(said) <= known | own | _REGRET


def _plain_forms(deed: Deed) -> Iterator[str]:
    """Yield the participles of a deed without the signs of patterns."""
    for form in deed.forms():
        yield re.sub(r"\[(\w)\w*\]|(\w)\?", r"\1\2", form)


def _nouns(deed: Deed) -> Iterator[str]:
    yield from re.findall(r"[a-z]{4,}", _NOUNS.get(deed.name, ""))
