"""Words of a language in which authors describe a user: facts about it, and how it talks.

All patterns apply to folded text (lower case, no accents). Group 1 of a pattern is the value, or the noun of a value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sparring.extraction.tokens import fold


@dataclass(frozen=True, slots=True)
class RoleWords:
    """Words of one language.

    A name follows `named`. After `are`, it may be a noun, so `not_names` do not count. `own` is "your K is V", and
    `has_called` "you have a K called V". `asked` has a pattern of questions for each slot, `manners` one of sentences
    for each manner. Sentences that `hold` are true of every user without a model.
    """

    named: re.Pattern[str]
    are: re.Pattern[str]
    not_names: frozenset[str]
    persons: re.Pattern[str]
    own: re.Pattern[str]
    has_called: re.Pattern[str]
    address: re.Pattern[str]
    street: re.Pattern[str]
    age: re.Pattern[str]
    born: re.Pattern[str]
    budget: re.Pattern[str]
    code: re.Pattern[str]
    available: re.Pattern[str]
    weekdays: tuple[str, ...]
    day_groups: Mapping[str, tuple[int, ...]]
    parts_of_day: Mapping[str, tuple[int, int]]
    after: str
    before: str
    between: str
    except_: str
    late: str
    asked: Mapping[str, re.Pattern[str]]
    not_own_name: re.Pattern[str]
    nouns: Mapping[str, re.Pattern[str]]
    negation: re.Pattern[str]
    manners: Mapping[str, re.Pattern[str]]
    hold: re.Pattern[str]
    kinds: Mapping[str, str]


def words(text: str) -> frozenset[str]:
    """Return a set of folded words."""
    return frozenset(fold(text).split())


def matching(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern that matches any alternative at the beginning of a word.

    Alternatives are folded, too, so escapes such as `\\S` are unavailable.
    """
    return re.compile(fold(rf"(?<!\w)(?:{'|'.join(alternatives)})"))
