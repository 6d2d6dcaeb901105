"""Words of a language in which authors describe a user: facts about it, and how it talks.

All patterns apply to folded text (lower case, no accents). Group 1 of a pattern is the value, or the noun of a value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, PlainValidator, TypeAdapter

from sparring.extraction.languages import LANGUAGES
from sparring.extraction.text_pattern import TextPattern
from sparring.extraction.tokens import fold


def _matching(alternatives: list[str]) -> TextPattern:
    """Return a pattern for words in sentences that keep their length when folded."""
    return TextPattern(fold(rf"(?<!\w)(?:{'|'.join(alternatives)})".replace("ß", r"(?:ss|\?)")))


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


Matching = Annotated[TextPattern, PlainValidator(_matching)]


@dataclass(frozen=True, slots=True)
class RoleWords:
    """Words of one language.

    A name follows `named`. After `are`, it may be a noun, so `not_names` do not count. `own` is "your K is V", and
    `has_called` "you have a K called V". `asked` has a pattern of questions for each slot, `manners` one of sentences
    for each manner. Sentences that `hold` are true of every user without a model.
    """

    named: Matching
    are: Matching
    not_names: Annotated[frozenset[str], BeforeValidator(_words)]
    persons: Matching
    own: Matching
    has_called: Matching
    address: Matching
    street: Matching
    age: Matching
    born: Matching
    budget: Matching
    code: Matching
    available: Matching
    weekdays: tuple[str, ...]
    day_groups: Mapping[str, tuple[int, ...]]
    parts_of_day: Mapping[str, tuple[int, int]]
    after: str
    before: str
    between: str
    except_: str
    late: str
    asked: Mapping[str, Matching]
    not_own_name: Matching
    nouns: Mapping[str, Matching]
    negation: Matching
    manners: Mapping[str, Matching]
    hold: Matching
    kinds: Mapping[str, str]


@cache
def role_words() -> tuple[RoleWords, ...]:
    """Return the words of all languages: authors may describe a user in another language than it speaks."""
    read = TypeAdapter(RoleWords).validate_python
    return tuple(read(each.sections["role"]) for each in LANGUAGES)
