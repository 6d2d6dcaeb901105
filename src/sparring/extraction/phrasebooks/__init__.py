"""Phrasebooks of all languages."""

from dataclasses import replace
from functools import cache, lru_cache

from pydantic import TypeAdapter

from sparring.core.case import Case
from sparring.extraction.languages import LANGUAGES
from sparring.extraction.phrasebooks.phrasebook import Phrasebook, any_of

_NAMES = frozenset(each.name for each in LANGUAGES)


def phrasebook(language: str) -> Phrasebook:
    """Return the phrasebook of `language`, or the English one; `has_phrasebook` tells which."""
    name = _name(language)
    return _phrasebook(name if name in _NAMES else "english")


@cache
def _phrasebook(name: str) -> Phrasebook:
    section = next(each.sections["phrasebook"] for each in LANGUAGES if each.name == name)
    return TypeAdapter(Phrasebook).validate_python(section)


def has_phrasebook(language: str) -> bool:
    """Return True if there is a phrasebook for `language`."""
    return _name(language) in _NAMES


def _name(language: str) -> str:
    """Return `portuguese` for "Brazilian Portuguese"."""
    return (language.casefold().split() or [""])[-1]


def languages_of(case: Case) -> tuple[str, ...]:
    """Return the languages that the user of `case` speaks: its own, then those it changes to."""
    return (case.persona.language, *(language for style in case.persona.styles for language in style.languages))


def understood_phrasebook(case: Case) -> Phrasebook:
    """Return a phrasebook that understands all languages of the user."""
    return _combined(*languages_of(case))


@lru_cache(maxsize=64)
def _combined(*languages: str) -> Phrasebook:
    books = tuple(dict.fromkeys(phrasebook(language) for language in languages))
    first = books[0]
    if len(books) == 1:
        return first
    return replace(
        first,
        goodbye=tuple(words for book in books for words in book.goodbye),
        confirm=any_of(*(book.confirm for book in books)),
        correct=any_of(*(book.correct for book in books)),
        more=any_of(*(book.more for book in books)),
        how_many=any_of(*(book.how_many for book in books)),
        offer=any_of(*(book.offer for book in books)),
        request=any_of(*(book.request for book in books)),
        options=any_of(*(book.options for book in books)),
    )
