"""Wordings of users: the sections `audit` and `misbehavior` of each language.

Misbehavior is searched in all languages, because a model that falls out of its role often falls out of its language.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import TypeAdapter

from sparring.extraction.function_words import other_language
from sparring.extraction.languages import LANGUAGES as _LANGUAGES
from sparring.extraction.text_pattern import TextPattern
from sparring.extraction.tokens import cached, fold, pattern, sentences, stems, tokens


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


def patterns(*keys: str, start: str = r"\b", guess: bool = True) -> Callable[[str], TextPattern]:
    """Return a function from a text to the pattern of the words under `keys` in the section `audit`.

    The pattern has words of common languages and of the text's language. With `guess`, it has those of all languages if
    the language is unclear, as it is for short texts.
    """

    @cache
    def of(code: str) -> TextPattern:
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


_TAKES_LEAVE = patterns("farewells")
_LEAVES = patterns("farewells", "enough")
_CLOSING = patterns("farewells", "enough", "polite")

_WORDS = frozenset(fold(" ".join(language.closing for language in LANGUAGES)).split())
_ACKNOWLEDGED = frozenset(
    "ok okay perfect nice great well and now vale perfecto y хорошо отлично ладно и everything all it".split()
)


@cached
def takes_leave(text: str) -> bool:
    """Return True if a message has words of farewell."""
    return _TAKES_LEAVE(text).search(fold(text)) is not None


@cached
def is_leaving(text: str) -> bool:
    """Return True if a message takes leave or says that there is nothing else."""
    return _LEAVES(text).search(fold(text)) is not None


def without_farewell(text: str) -> str:
    """Return what a message says besides thanks and farewell, folded."""
    return _CLOSING(text).sub(" ", fold(text))


@cached
def only_closes(text: str) -> bool:
    """Return True if a message only thanks or takes leave."""
    words = tokens(text)
    if not words or _ACKNOWLEDGED.issuperset(words):
        return False
    return _WORDS.issuperset(words) or (takes_leave(text) and not stems(without_farewell(text)))


Answer = Literal["yes", "no", "doubt", ""]

_NO_BUT_YES = patterns("no_but_yes")
"""A yes in words of a no: "no changes"."""

_NO = patterns("no")
_YES = patterns("yes")
_DOUBT = patterns("doubt")
_THUMBS = frozenset("👍👌✅")
_GOES_ON = patterns("goes_on")
_REFERS = stems(words("refers"))
"""Stems of words that are polite or refer to what was said, and add nothing to a no."""


@cached
def answer(text: str) -> Answer:
    """Return how a message answers a confirmation; empty if its words do not tell."""
    said = fold(text)
    plain = _NO_BUT_YES(text).sub(" yes ", said)
    if _NO(text).search(plain) or plain.lstrip(" ¡¿").startswith("no"):
        return "no"
    if _DOUBT(text).search(plain) or "?" in text:
        return "doubt"
    return "yes" if _YES(text).search(plain) or not _THUMBS.isdisjoint(text) else ""


@cached
def agrees(text: str) -> bool:
    """Return True if a message agrees to what the chatbot asked to confirm."""
    return answer(text) == "yes"


@cached
def added_to_no(text: str) -> frozenset[str] | None:
    """Return the stems that a no has besides its own words; None for what is no no, or goes on."""
    if answer(text) != "no" or "?" in text or _GOES_ON(text).search(fold(text)):
        return None
    return stems(_YES(text).sub(" ", _NO(text).sub(" ", fold(text)))) - _REFERS
