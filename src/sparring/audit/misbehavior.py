"""Sentences that no user says: it serves, refuses, narrates, or works on the chatbot.

Everything here depends on the text alone and is remembered by text. One linear search rejects nearly all messages.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import re2

from sparring.audit.markup import markup_signs
from sparring.audit.out_of_role import fallen_out, may_fall_out
from sparring.audit.phrases import LANGUAGES
from sparring.audit.signs import Excuse, Kind, MisbehaviorSign
from sparring.extraction.tokens import cached, fold, sentences, word_matcher


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


def _superset(alternative: str) -> str:
    """Return a pattern that RE2 understands and that matches wherever the alternative does."""
    plain = re.sub(r"\(\?![^()]*\)", "", alternative.replace(r"\b", ""))
    return re.sub(r"\[\\w[^\]]*\]|\\w", "[^ ]", plain)


@cache
def _prefilter() -> Any:
    names = {name for _, name, _, _ in _TABLES} | {"opens"}
    options = re2.Options()
    options.max_mem = 64 << 20
    options.never_capture = True
    found = "|".join(_superset(fold(each)) for name in sorted(names) for each in _all(name))
    return re2.compile(found, options).search


_REPORTED = re.compile(
    r"\b(?:you|he|she|they|it|bot) (?:just )?(?:said|told|asked|wrote|say)\b|[\"“«]|(?:dijo"
    r"|dijiste|has dicho|сказали|написали)\b"
)
"""Words that may be quoted instead of meant."""


_LONGEST = 4_000
"""Characters of a message that are searched, from its beginning; models that ramble do so from the first line."""


@cached
def signs(text: str) -> tuple[MisbehaviorSign, ...]:
    """Return the signs of misbehavior in a message of a user, at most one of each kind and certainty."""
    text = text[:_LONGEST]
    found = [*markup_signs(text)]
    if _prefilter()(fold(text)):
        found += _spoken(text)
    if may_fall_out(text):
        for sentence in sentences(text):
            found += () if _REPORTED.search(fold(sentence.text)) else fallen_out(sentence)
    return tuple({(sign.kind, sign.certain, sign.excuse): sign for sign in reversed(found)}.values())[::-1]


def _spoken(text: str) -> Iterator[MisbehaviorSign]:
    for sentence in sentences(text):
        if _REPORTED.search(fold(sentence.text)):
            continue
        for kind, matches, certain, excuse in _MATCHERS:
            if matches(sentence.text) and not (excuse == "business" and sentence.asks):
                yield MisbehaviorSign(kind, sentence.text, certain, excuse)
                break
