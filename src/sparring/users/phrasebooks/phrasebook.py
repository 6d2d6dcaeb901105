"""What a user without a model says and understands in one language.

Nothing here knows any chatbot: these are the words in which anybody orders, asks, agrees and takes leave, and the
patterns by which questions of these kinds are recognised in folded text (lower case, no accents).
"""

import re
from dataclasses import dataclass

from sparring.extraction.tokens import fold


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """The frame sentences and patterns of one language; each tuple holds wordings to choose from."""

    want: tuple[str, ...]
    want_to: tuple[str, ...]
    again: tuple[str, ...]
    value: tuple[str, ...]
    tell: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    wrong: tuple[str, ...]
    that_is_all: tuple[str, ...]
    one: tuple[str, ...]
    any_will_do: tuple[str, ...]
    goodbye: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]
    change: tuple[str, ...]
    change_back: tuple[str, ...]
    and_: str
    order_words: re.Pattern[str]
    verbs: re.Pattern[str]
    statement: re.Pattern[str]
    confirm: re.Pattern[str]
    correct: re.Pattern[str]
    more: re.Pattern[str]
    how_many: re.Pattern[str]
    offer: re.Pattern[str]
    request: re.Pattern[str]
    options: re.Pattern[str]


def either(*patterns: re.Pattern[str]) -> re.Pattern[str]:
    """What any of the patterns finds."""
    return re.compile("|".join(dict.fromkeys(f"(?:{each.pattern})" for each in patterns)))


def opening(words: str) -> re.Pattern[str]:
    """A text that opens with one of the words, in folded text; group 1 is the word."""
    return re.compile(fold(rf"^({'|'.join(words.split())})\b"))
