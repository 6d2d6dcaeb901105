"""Sentences that no user says: it serves, refuses, narrates, or works on the chatbot.

Everything here depends on the text alone and is remembered by text. The model rejects nearly all sentences.
"""

import re
from collections.abc import Callable

from sparring.audit.markup import markup_signs
from sparring.audit.out_of_role import PLAUSIBLE, fallen_out, weighed
from sparring.audit.phrases import LANGUAGES
from sparring.audit.signs import Excuse, Kind, MisbehaviorSign
from sparring.extraction.tokens import Sentence, cached, fold, sentences, word_matcher


def _all(name: str) -> tuple[str, ...]:
    return tuple(each for language in LANGUAGES for each in getattr(language, name))


_TABLES: tuple[tuple[Kind, str, bool, Excuse], ...] = (
    ("model_refusal", "refusal", True, ""),
    ("role_flip", "assistant", True, ""),
    ("role_flip", "business", True, "business"),
    ("meta", "meta", True, ""),
    ("meta", "goals", True, "goals"),
    ("jailbreak", "jailbreak", True, "attack"),
    ("jailbreak", "authority", True, "authority"),
    ("role_flip", "courteous", False, "courtesy"),
    ("coaching", "coaching", False, ""),
    ("model_refusal", "reluctance", False, ""),
    ("meta", "narration", False, ""),
)
_MATCHERS: tuple[tuple[Kind, Callable[[str], bool], bool, Excuse], ...] = (
    ("role_flip", word_matcher(*_all("opens"), start=r"[^\w]*"), True, ""),
    *((kind, word_matcher(*_all(name)), certain, excuse) for kind, name, certain, excuse in _TABLES),
)


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
        fallen = None if spoken and spoken.certain else fallen_out(sentence)
        if spoken and not (fallen and fallen.certain and fallen.kind == spoken.kind):
            found.append(spoken)
        if fallen and (fallen.certain or not spoken) and not (marked and fallen.kind == "meta"):
            found.append(fallen)
    if not found and (fallen := fallen_out(Sentence(text, 0, len(text)))):
        found.append(fallen)
    return tuple({(sign.kind, sign.certain, sign.excuse): sign for sign in reversed(found)}.values())[::-1]


def _spoken(sentence: Sentence) -> MisbehaviorSign | None:
    for kind, matches, certain, excuse in _MATCHERS:
        if matches(sentence.text) and not (excuse == "business" and sentence.asks):
            return MisbehaviorSign(kind, sentence.text, certain, excuse)
    return None
