"""Phrasebook of a language: sentences that a user without a model says, and patterns it understands.

Nothing here is specific to a chatbot. The patterns apply to folded text (lower case, no accents).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import PlainValidator

from sparring.extraction.text_pattern import TextPattern
from sparring.extraction.tokens import fold, pattern


def _starts_with(words: str) -> TextPattern:
    """Return a pattern for folded text that begins with one of the words, which is group 1."""
    return TextPattern(fold(rf"^({'|'.join(words.split())})\b"))


_NO_VERBS = (
    "all both half such what only just with for at on in as is of and or to with without de en con para por y o e ou"
    " a al del todo todos toda todas ambos ambas solo so com sem em"
)
"""Words before a determiner that are no verbs."""


def _verb_before(determiners: str) -> TextPattern:
    """Return a pattern for text that begins with a verb and a determiner: "renew my card"."""
    others = f"{_NO_VERBS} {determiners}".replace(" ", "|")
    return TextPattern(fold(rf"^(?!(?:{others})\b)\w+ (?:{determiners.replace(' ', '|') or '(?!)'})\b"))


Alternatives = Annotated[TextPattern, PlainValidator(lambda found: pattern(*found))]
VerbBefore = Annotated[TextPattern, PlainValidator(_verb_before)]
FirstWords = Annotated[TextPattern, PlainValidator(_starts_with)]


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """Sentences and patterns of one language. Each tuple holds alternative wordings.

    `facts` has a sentence for each slot that the user may be asked for; another slot is answered by its bare value.
    `asides` has sentences that come from a manner, by name; what has none is not said in this language.
    """

    want: tuple[str, ...]
    want_to: tuple[str, ...]
    again: tuple[str, ...]
    """Says {} in other words, because it was not understood."""
    still: tuple[str, ...]
    """Comes back to {}, which the chatbot left unanswered."""
    labelled: str
    """Wishes for {}, a thing with its value such as "the drink: water"."""
    value: tuple[str, ...]
    tell: tuple[str, ...]
    """Asks {}, an indirect question."""
    tell_thing: tuple[str, ...]
    """Asks for {}, a noun."""
    yes: tuple[str, ...]
    no: tuple[str, ...]
    wrong: tuple[str, ...]
    that_is_all: tuple[str, ...]
    one: tuple[str, ...]
    any_will_do: tuple[str, ...]
    goodbye: tuple[str, ...]
    unknown: tuple[str, str, str]
    """The user does not have what it is asked for, does not know it, or keeps it to itself."""
    unsure: tuple[str, ...]
    """The user knows no answer to a question that asks for none of its values."""
    wait: tuple[str, ...]
    handed_over: tuple[str, ...]
    why: tuple[str, ...]
    able: tuple[str, ...]
    """Asks a chatbot for other things if it can do {} at all."""
    without: tuple[str, ...]
    """Does without {}, which cannot be had."""
    instead: tuple[str, ...]
    """Takes {}, which was offered instead."""
    misheard: tuple[str, ...]
    """Repeats a value that the chatbot got wrong."""
    not_wanted: tuple[str, ...]
    """Rejects {}, which was never asked for."""
    too_expensive: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    change: tuple[str, ...]
    change_back: tuple[str, ...]
    and_: str
    order_words: FirstWords
    verbs: FirstWords
    determiners: VerbBefore
    """Words after which a noun comes, where a goal with a verb is said otherwise than one with a noun."""
    imperative: Alternatives
    """A goal that tells the chatbot to do something, such as "tell me a joke"."""
    statement: Alternatives
    confirm: Alternatives
    correct: Alternatives
    more: Alternatives
    how_many: Alternatives
    offer: Alternatives
    request: Alternatives
    options: Alternatives
    or_: str
    facts: Mapping[str, str] = field(hash=False)
    asides: Mapping[str, tuple[str, ...]] = field(hash=False)
    courtesy: re.Pattern[str]
    """Courtesies that a rude user leaves out, with the comma before or after them; applied to text as it is written."""


def any_of(*patterns: TextPattern) -> TextPattern:
    """Return a pattern that matches wherever any of the patterns does."""
    return TextPattern("|".join(dict.fromkeys(f"(?:{each.pattern})" for each in patterns)))
