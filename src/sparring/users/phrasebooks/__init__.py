"""Phrasebooks, one module for each language. A new language is a module here and an entry below."""

from collections.abc import Mapping

from sparring.users.phrasebooks.english import ENGLISH
from sparring.users.phrasebooks.phrasebook import Phrasebook
from sparring.users.phrasebooks.russian import RUSSIAN
from sparring.users.phrasebooks.spanish import SPANISH

_PHRASEBOOKS: Mapping[str, Phrasebook] = {"english": ENGLISH, "spanish": SPANISH, "russian": RUSSIAN}


def phrasebook(language: str) -> Phrasebook:
    """Return the phrasebook of `language`, or the English one; `has_phrasebook` tells which."""
    return _PHRASEBOOKS.get(language.casefold(), ENGLISH)


def has_phrasebook(language: str) -> bool:
    """Return True if there is a phrasebook for `language`."""
    return language.casefold() in _PHRASEBOOKS
