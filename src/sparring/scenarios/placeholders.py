"""Phrases and JSON with placeholders: `a {{size}} pizza with {{toppings}}`."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date

from sparring.core.value import Json, map_texts
from sparring.parsing import Data
from sparring.scenarios.field_reader import FieldReader

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")  # blanks are taken off afterwards, or very many of them take for ever


def placeholders(phrase: str) -> tuple[str, ...]:
    """Return the names of the placeholders in a phrase, in order, each once."""
    return tuple(dict.fromkeys(name.strip() for name in _PLACEHOLDER.findall(phrase)))


def sole_placeholder(phrase: str) -> str:
    """Return the name in a phrase that is a single placeholder; "" for any other phrase."""
    found = _PLACEHOLDER.fullmatch(phrase.strip())
    return found[1].strip() if found else ""


def is_unclosed(phrase: str) -> bool:
    """Return True if a placeholder begins in a phrase and does not end."""
    return "{{" in _PLACEHOLDER.sub("", phrase)


def fill(phrase: str, values: Mapping[str, Json], *, conjunction: str = "and") -> str:
    """Replace the placeholders of a phrase; several values read `a, b and c`.

    Without a conjunction they read `a, b, c`. Values that look like placeholders are not filled again. Unknown names
    stay as they are.
    """

    def said(match: re.Match[str]) -> str:
        name = match[1].strip()
        return as_text(values[name], conjunction=conjunction) if name in values else match[0]

    return _PLACEHOLDER.sub(said, phrase)


def as_text(value: Json, *, conjunction: str = "and") -> str:
    """Return a value as text to say."""
    if isinstance(value, list):
        return _listed([as_text(item, conjunction=conjunction) for item in value], conjunction)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _listed(words: Sequence[str], conjunction: str) -> str:
    if len(words) < 2 or not conjunction:
        return ", ".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def check_placeholders(phrases: Iterable[tuple[FieldReader, str]], names: Collection[str]) -> None:
    """Report placeholders in `phrases` that are no variables, or that do not end."""
    for part, phrase in phrases:
        for name in placeholders(phrase):
            if name not in names:
                part.report(f"{{{{{name}}}}} is not a variable", part.suggestion(name, names))
        if is_unclosed(phrase):
            part.report("a placeholder begins here and does not end", "write it {{name}}")


def to_json(data: Data) -> Json:
    """Convert data to JSON; a date becomes its text."""
    if isinstance(data, list):
        return [to_json(item) for item in data]
    if isinstance(data, dict):
        return {name: to_json(item) for name, item in data.items()}
    return data.isoformat() if isinstance(data, date) else data


def texts(part: FieldReader) -> Iterator[tuple[FieldReader, str]]:
    """Yield every text in a value, with its place."""
    if isinstance(part.data, str):
        yield part, part.data
    elif isinstance(part.data, dict):
        for _, item in part.entries():
            yield from texts(item)
    elif isinstance(part.data, list):
        for item in part.items():
            yield from texts(item)


def fill_json(value: Json, values: Mapping[str, Json], said: Callable[[str], str]) -> Json:
    """Apply `said` to every text of a JSON value; a text that is a single placeholder becomes its value."""

    def filled(text: str) -> Json:
        name = sole_placeholder(text)
        return values[name] if name in values else said(text)

    return map_texts(value, filled)
