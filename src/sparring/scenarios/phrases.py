"""Phrases with placeholders: `a {{size}} pizza with {{toppings}}`."""

import re
from collections.abc import Mapping, Sequence

from sparring.core.value import Json

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")  # blanks are taken off afterwards, or very many of them take for ever


def placeholders(phrase: str) -> tuple[str, ...]:
    """The names a phrase asks for, in order, each once."""
    return tuple(dict.fromkeys(name.strip() for name in _PLACEHOLDER.findall(phrase)))


def alone(phrase: str) -> str:
    """The name in a phrase that is one placeholder and nothing else; empty for any other."""
    found = _PLACEHOLDER.fullmatch(phrase.strip())
    return found[1].strip() if found else ""


def unclosed(phrase: str) -> bool:
    """Whether a placeholder begins in a phrase and does not end."""
    return "{{" in _PLACEHOLDER.sub("", phrase)


def fill(phrase: str, values: Mapping[str, Json], *, conjunction: str = "and") -> str:
    """The phrase with its values in place; several read `a, b and c`, or `a, b, c` without a conjunction.

    Values are put in once: one that looks like a placeholder is not filled again. Unknown names stay as they are.
    """

    def said(match: re.Match[str]) -> str:
        name = match[1].strip()
        return spoken(values[name], conjunction=conjunction) if name in values else match[0]

    return _PLACEHOLDER.sub(said, phrase)


def spoken(value: Json, *, conjunction: str = "and") -> str:
    """A value as someone would say it."""
    if isinstance(value, list):
        return _listed([spoken(item, conjunction=conjunction) for item in value], conjunction)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _listed(words: Sequence[str], conjunction: str) -> str:
    if len(words) < 2 or not conjunction:
        return ", ".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
