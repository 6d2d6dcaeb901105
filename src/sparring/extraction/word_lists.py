"""Words of seven languages by how common they are, and names of people and places.

The words are pyspellchecker's and simplemma's, the names are Faker's: they come with the extra `privacy`.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from sparring.core.errors import InputError
from sparring.core.plugins import install
from sparring.extraction.function_words import language_shares
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_LANGUAGES = ("en", "es", "fr", "de", "it", "pt", "ru")
_SHARE = 0.3
"""Minimum share of a text's function words that are of a language."""

_COMMON, _CERTAIN, _ORDINARY, _FREQUENT = 5e-8, 3e-7, 8e-6, 1e-4
"""Share of all words of a language from which a word is known, surely a word, no rare one, and everywhere."""

_FOREIGN = 10
"""How many times more common a word of another language must be; the language is English if nothing else tells."""

_PLACES = ("de_DE", "de_AT", "de_CH", "en_IN", "es_CL", "es_CO", "es_ES", "fr_FR", "it_IT", "pt_PT", "ru_RU")
_PLACE_LISTS = (
    "cities", "city_names", "states", "municipalities", "communes", "departments", "concelhos", "distritos",
    "cap_city_province", "counties",
)  # fmt: skip
_INFLECTED = ("en", "es", "fr", "de", "it", "ru")
_CITIES = _WORDS["cities"]
"""Cities of which German lists of words know the names."""

_CHAT = frozenset(_WORDS["chat"].split("|"))
"""Words of chats and forms that lists of words do not have."""


@cache
def _words(language: str) -> tuple[dict[str, int], int]:
    """Return how often each word of a language is in its list, and the sum."""
    found = find_spec("spellchecker")
    if found is None or not found.submodule_search_locations:
        raise _missing()
    file = Path(found.submodule_search_locations[0], "resources", f"{language}.json.gz")
    words: dict[str, int] = json.loads(gzip.decompress(file.read_bytes()))
    return words, sum(words.values())


def _missing() -> InputError:
    return InputError(
        "lists of words and names tell personal data from other words, and are not installed",
        hint=f"{install('privacy')}, or keep all values with --keep-values",
    )


@cache
def _names() -> frozenset[str]:
    """Return names of people and places, folded, each word on its own."""
    try:
        people = import_module("faker.providers.person")
        modules = [import_module(f"{people.__name__}.{each.name}") for each in iter_modules(people.__path__)]
        places = [import_module(f"faker.providers.address.{each}") for each in _PLACES]
    except ImportError:
        raise _missing() from None
    texts = [text for module in modules for text in _listed(module.Provider, _is_list_of_names)]
    texts += [text for module in places for text in _listed(module.Provider, _PLACE_LISTS.__contains__)]
    texts.append(_CITIES)
    return frozenset(word.casefold() for text in texts for word in re.findall(r"[^\W\d_]{2,}", text))


def _is_list_of_names(attribute: str) -> bool:
    return "first_name" in attribute or "last_name" in attribute


def _listed(provider: type, wanted: Callable[[str], bool]) -> Iterator[str]:
    for attribute in dir(provider):
        values = getattr(provider, attribute)
        if wanted(attribute) and isinstance(values, (tuple, list, dict)):
            yield from (each if isinstance(each, str) else " ".join(map(str, each)) for each in values)


@cache
def _is_form(word: str, language: str) -> bool:
    """Return True if a word is in a list of the forms of words, for languages whose other list is short."""
    return language in _INFLECTED and (
        simplemma().is_known(word, lang=language)
        or (language == "de" and simplemma().is_known(word.capitalize(), lang=language))
    )


@cache
def simplemma() -> Any:
    """Return the package that knows the forms of words."""
    try:
        return import_module("simplemma")
    except ImportError:
        raise _missing() from None


@dataclass(frozen=True, slots=True)
class KnownWords:
    """The words of a text's languages, and names."""

    languages: tuple[str, ...]

    def frequency(self, word: str) -> float:
        """Return the share of a word among those of its language, the highest of several."""
        shares = [0.0]
        for language in self.languages:
            words, total = _words(language)
            shares.append(words.get(word, 0) / total)
        if "en" not in self.languages:
            words, total = _words("en")
            shares.append(words.get(word, 0) / total / _FOREIGN)
        return max(shares)

    def is_word(self, word: str, *, certain: bool = False) -> bool:
        """Return True if a folded word is in a list; with `certain`, if it is no rare one either."""
        if word in _CHAT or self.frequency(word) >= (_CERTAIN if certain else _COMMON):
            return True
        return any(_is_form(word, language) for language in self.languages)

    def is_ordinary(self, word: str) -> bool:
        """Return True if a folded word is so common that it is rarely a name.

        The list of Spanish lacks many forms of its most common words.
        """
        frequency = self.frequency(word)
        return frequency >= _ORDINARY or (not frequency and "es" in self.languages and _is_form(word, "es"))

    def is_frequent(self, word: str) -> bool:
        """Return True if a folded word is one of the few that are in every text."""
        return self.frequency(word) >= _FREQUENT

    def is_name(self, word: str) -> bool:
        """Return True if a folded word is a name of people or places, which other words may be, too."""
        return word in _names() and word not in _CHAT


def known_words(texts: Iterable[str], *languages: str) -> KnownWords:
    """Return the words of the languages that texts are in, and of those that are named."""
    shares = language_shares("\n".join(texts))
    found = [code for code in _LANGUAGES if shares.get(code, 0.0) >= _SHARE or code in languages]
    return KnownWords(tuple(found or ["en"]))
