"""Languages, one TOML file each: words by which messages are read, and sentences of users.

A language is added by a file with the keys of `english.toml`; where null bots, operators or probes lack its sentences,
they say English ones. Regular expressions are written for folded text: case and
accents do not matter. Groups are `(?:...)` unless a key asks for a value.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Language:
    """Words of one language.

    Words of `common` languages are read in every text. Those of others are read only in texts that are in their
    language, or in none that is known, because other languages share them with another meaning.
    """

    name: str
    code: str
    common: bool
    numbers: tuple[str, ...]
    """Number words from one to twelve; "-" for a word that means something else in another language."""
    stop_words: str
    function_words: str
    """Words that tell the language."""
    more_function_words: str
    """Words that tell the language unless another one has them."""
    sections: Mapping[str, Mapping[str, Any]]


def _language(file: Path) -> Language:
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return Language(
        file.stem,
        table["code"],
        table.get("common", False),
        tuple(table["numbers"].split()),
        table["stop_words"],
        table["function_words"],
        table["more_function_words"],
        {
            name: fill_in(section, section.get("parts", {}))
            for name, section in table.items()
            if isinstance(section, dict)
        },
    )


_PART = re.compile(r"(?<!P)<([a-z_]+)>")  # not a named group


def fill_in(value: Any, parts: Mapping[str, str]) -> Any:
    """Replace each `<name>` in the texts of a section by its part of this name, which may contain others."""
    if not parts:
        return value
    if isinstance(value, str):
        filled = _PART.sub(lambda part: parts.get(part[1], part[0]), value) if "<" in value else value
        return filled if filled == value else fill_in(filled, parts)
    if isinstance(value, list):
        return [fill_in(each, parts) for each in value]
    if isinstance(value, dict):
        return {key: fill_in(each, parts) for key, each in value.items()}
    return value


LANGUAGES = tuple(
    sorted(map(_language, sorted(Path(__file__).parent.glob("*.toml"))), key=lambda each: (not each.common, each.name))
)
"""All languages, common ones first."""

NAMES: Mapping[str, str] = {each.code: each.name for each in LANGUAGES}
"""Names of the languages by code."""


def words_of(section: str, key: str) -> tuple[str, ...]:
    """Return the words under a key of a section in all languages."""
    return tuple(word for each in LANGUAGES for word in each.sections[section][key])
