"""Phrasebooks, a file a language. A new language is a file here and a line below."""

from collections.abc import Mapping

from sparring.users.phrasebooks.english import ENGLISH
from sparring.users.phrasebooks.phrasebook import Phrasebook
from sparring.users.phrasebooks.russian import RUSSIAN
from sparring.users.phrasebooks.spanish import SPANISH

_PHRASEBOOKS: Mapping[str, Phrasebook] = {"english": ENGLISH, "spanish": SPANISH, "russian": RUSSIAN}


def phrasebook(language: str) -> Phrasebook:
    """The phrasebook of `language`, or the English one where there is none; `spoken` tells which."""
    return _PHRASEBOOKS.get(language.casefold(), ENGLISH)


def spoken(language: str) -> bool:
    """Whether there is a phrasebook for `language`."""
    return language.casefold() in _PHRASEBOOKS
