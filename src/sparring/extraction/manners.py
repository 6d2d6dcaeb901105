"""Manners of a user, read from the sentences that describe it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sparring.extraction.role_words import RoleWords, role_words
from sparring.extraction.tokens import cached, fold
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_NEGATED_WORDS = 4
"""Maximum number of words from a negation to what it negates."""

Strength = Literal[1, 2, 3]

_CLAUSE = re.compile(r"[,;:.!?()]|\b(?:but|pero|aber|mais|ma|mas|но|а)\b")
_STRONG = re.compile(rf"\b(?:{_WORDS['strong']})\W+(?:\w+\W+)?$")
_WEAK = re.compile(rf"\b(?:{_WORDS['weak']})\W+$")

ADVERSARIAL = "adversarial"
"""The manner of a user that attacks the chatbot. It needs a tag `attack` or a goal that says so."""


@dataclass(frozen=True, slots=True)
class Manner:
    """A way of talking, such as `terse`, and the words from which it was taken."""

    name: str
    strength: Strength = 2
    quote: str = ""


@cached
def manners_of_sentence(sentence: str) -> tuple[Manner, ...]:
    """Return the manners that a sentence describes, each once."""
    plain = fold(sentence)
    found: dict[str, Manner] = {}
    for words in role_words():
        for name, strength in _manners(plain, words):
            found.setdefault(name, Manner(name, strength, sentence))
    return tuple(found.values())


def _manners(plain: str, words: RoleWords) -> Iterator[tuple[str, Strength]]:
    for name, pattern in words.manners.items():
        for match in pattern.finditer(plain):
            before = _CLAUSE.split(plain[: match.start()])[-1]
            near = " ".join(before.split()[-_NEGATED_WORDS:])
            if not any(each.negation.search(near) for each in role_words()):
                yield name, 3 if _STRONG.search(before) else 1 if _WEAK.search(before) else 2
                break


@cached
def holds_anyway(sentence: str) -> bool:
    """Return True for a sentence that always holds, such as "never act as an assistant"."""
    plain = fold(sentence)
    return any(words.hold.search(plain) for words in role_words())
