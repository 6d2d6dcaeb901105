"""Sentences that no user says: it serves, refuses, narrates, or works on the chatbot.

Everything here depends on the text alone and is remembered by text. The model rejects nearly all sentences.
"""

import re
from collections.abc import Callable

from sparring.audit.markup import markup_signs
from sparring.audit.out_of_role import PLAUSIBLE, Excuse, Kind, MisbehaviorSign, fallen_out, weighed
from sparring.audit.phrases import LANGUAGES
from sparring.extraction.tokens import Sentence, cached, fold, sentences, word_matcher


def _all(name: str) -> tuple[str, ...]:
    return tuple(each for language in LANGUAGES for each in getattr(language, name))


_MATCHERS: tuple[tuple[Kind, Callable[[str], bool], Excuse], ...] = (
    ("model_refusal", word_matcher(*_all("refusal")), ""),
    ("role_flip", word_matcher(*_all("assistant")), ""),
    ("role_flip", word_matcher(*_all("business")), "business"),
    ("meta", word_matcher(*_all("meta")), ""),
    ("jailbreak", word_matcher(*_all("jailbreak")), "attack"),
    ("jailbreak", word_matcher(*_all("authority")), "authority"),
)
"""Plain wordings of each kind. They are certain, as the model is not where a few words say it all."""

_REPORTED = re.compile(
    r"\b(?:you|he|she|they|it|bot) (?:just )?(?:said|told|asked|wrote|say)\b"
    r"|(?:dijo|dijiste|has dicho|сказали|написали)\b"
)
"""Words that report what was said."""

_QUOTES = re.compile(r"[\"“«]")
_LONGEST = 4_000
"""Characters of a message that are searched, from its beginning; models that ramble do so from the first line."""


@cached
def signs(text: str) -> tuple[MisbehaviorSign, ...]:
    """Return the signs of misbehavior in a message of a user, at most one of each kind and certainty."""
    text = text[:_LONGEST]
    found = [*markup_signs(text)]
    marked = bool(found)
    for sentence in sentences(text):
        if weighed(sentence.text)[0] < PLAUSIBLE:
            continue
        said = fold(sentence.text)
        plain = not _REPORTED.search(said) and not _QUOTES.search(said)
        spoken = _spoken(sentence) if plain else None
        sign = spoken or fallen_out(sentence)
        if sign and not (marked and sign is not spoken and sign.kind == "meta"):
            found.append(sign)
    if not found and (fallen := fallen_out(Sentence(text, 0, len(text)))):
        found.append(fallen)
    return tuple({(sign.kind, sign.certain, sign.excuse): sign for sign in reversed(found)}.values())[::-1]


def _spoken(sentence: Sentence) -> MisbehaviorSign | None:
    for kind, matches, excuse in _MATCHERS:
        if matches(sentence.text) and not (excuse == "business" and sentence.asks):
            return MisbehaviorSign(kind, sentence.text, certain=True, excuse=excuse)
    return None
