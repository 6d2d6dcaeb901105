"""Wordings of users: the sections `audit` and `misbehavior` of each language.

Misbehavior is searched in all languages, because a model that falls out of its role often falls out of its language.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from pydantic import TypeAdapter

from sparring.extraction.function_words import other_language
from sparring.extraction.languages import LANGUAGES as _LANGUAGES
from sparring.extraction.tokens import fold, pattern, sentences, tokens


@dataclass(frozen=True, slots=True)
class MisbehaviorPhrases:
    """Patterns for folded sentences, and plain words separated by spaces.

    `assistant` are words that only an assistant or a business says; `business` statements may also come from a customer
    who has a business. `meta` talks about the conversation instead of having it. `closing` are all words of thanks and
    farewells, `farewell` those of leaving. `label` is a pattern for labels of narrated lines, and `actors` are words
    for a user in one.
    """

    assistant: tuple[str, ...]
    business: tuple[str, ...]
    refusal: tuple[str, ...]
    meta: tuple[str, ...]
    jailbreak: tuple[str, ...]
    authority: tuple[str, ...]
    label: str
    actors: str
    chatbot_labels: str
    user_labels: str
    closing: str
    farewell: str
    second_person: str
    small_talk: str


LANGUAGES = tuple(TypeAdapter(MisbehaviorPhrases).validate_python(each.sections["misbehavior"]) for each in _LANGUAGES)
"""Wordings of all languages."""

UNCLEAR = "?"
"""Language of a text whose language is unclear."""

_FEW = 4


def patterns(*keys: str, start: str = r"\b", guess: bool = True) -> Callable[[str], re.Pattern[str]]:
    """Return a function from a text to the pattern of the words under `keys` in the section `audit`.

    The pattern has words of common languages and of the text's language. With `guess`, it has those of all languages if
    the language is unclear, as it is for short texts.
    """

    @cache
    def of(code: str) -> re.Pattern[str]:
        spoken = (each for each in _LANGUAGES if each.common or each.code == code or (guess and code == UNCLEAR))
        return pattern(*(word for each in spoken for key in keys for word in each.sections["audit"][key]), start=start)

    return lambda text: of(UNCLEAR if guess and len(tokens(text)) <= _FEW else other_language(text))


def words(key: str) -> str:
    """Return the words under a key of the section `audit` in all languages, separated by spaces."""
    return " ".join(each.sections["audit"][key] for each in _LANGUAGES)


_PADDING = frozenset(
    fold(each.text).strip(".!¡?¿ ")
    for book in (language.sections["phrasebook"] for language in _LANGUAGES)
    for text in (*book["openers"], *book["closers"], *(said for aside in book["asides"].values() for said in aside))
    for each in sentences(text)
)


def without_padding(text: str) -> str:
    """Return a text without the sentences that a user says out of its manner."""
    said = sentences(text)
    kept = [each.text for each in said if fold(each.text).strip(".!¡?¿ ") not in _PADDING]
    return text if len(kept) == len(said) else " ".join(kept)
