"""Lines that probes say, and the patterns by which they read, for each language."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sparring.extraction import languages
from sparring.extraction.tokens import fold, tokens

_LETTER = re.compile(r"\b[^\W\d_]-(?=\w)")

FUNCTION_WORDS = {
    each.code: frozenset(tokens(f"{each.stop_words} {each.function_words}")) for each in languages.LANGUAGES
}
"""Function words by language."""


@cache
def _tables(file: str = "lines.toml") -> Mapping[str, Any]:
    return tomllib.loads((files("sparring.probes") / file).read_text(encoding="utf-8"))


LANGUAGES: Mapping[str, str] = {code: languages.NAMES[code] for code in _tables() if code in languages.NAMES}
"""Languages that probes speak, by code."""


def facts_in(table: str) -> Mapping[str, str]:
    """Return a table of facts of the user from `facts.toml`."""
    facts: Mapping[str, str] = _tables("facts.toml")[table]
    return facts


def lines_of(language: str) -> Mapping[str, Any]:
    """Return the lines of a language by its code; of English if probes do not speak it."""
    lines: Mapping[str, Any] = _tables().get(language, _tables()["en"])
    return lines


def answer_to(question: str, times: int) -> str | None:
    """Return the user's answer to a question for a fact; `times` is how often it was asked before."""
    plain = fold(question)
    says = next((each["says"] for each in _tables()["answers"] if re.search(each["asks"], plain)), None)
    return None if says is None else str(says[min(times, len(says) - 1)])


def words_of(text: str) -> set[str]:
    """Return the words of a text, without single letters before a hyphen, as in "e-bike"."""
    return set(tokens(_LETTER.sub("", text)))


def spoken_in(text: str) -> str:
    """Return the language with most different function words in a text; empty if it is unclear.

    Different words, because the Italian "a" of "a che ora" and "a nome" is an English word as well.
    """
    words = words_of(text)
    most = sorted(((len(words & own), code) for code, own in FUNCTION_WORDS.items()), reverse=True)[:2]
    return most[0][1] if most[0][0] > most[1][0] else ""
