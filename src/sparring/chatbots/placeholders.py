"""Placeholders in presets: `{{name}}` for values of the conversation, `${NAME}` for the environment.

`${NAME:-words}` has a default. Everything is filled in one pass: values are never expanded again.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote as percent_encoded

from sparring.core.errors import ChatbotError
from sparring.core.text import closest_name
from sparring.core.value import Json, map_texts

_GAP = re.compile(r"\{\{([^{}]*)\}\}|\$\{([A-Za-z_]\w*)(?::-([^{}]*))?\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PlaceholderValues:
    """Values of placeholders. Most are secret or large, so the repr hides them."""

    names: Mapping[str, Json] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)


def fill(template: Json, known: PlaceholderValues) -> Json:
    """Return a filled template. A placeholder alone in its text keeps its type: `"{{count}}"` becomes 3."""

    def filled(text: str) -> Json:
        alone = _GAP.fullmatch(text)
        return _value(alone, known) if alone else fill_text(text, known)

    return map_texts(template, filled)


def fill_text(template: str, known: PlaceholderValues) -> str:
    """Return a filled text."""
    return _GAP.sub(lambda gap: as_text(_value(gap, known)), template)


def fill_address(template: str, known: PlaceholderValues) -> str:
    """Return a filled address. Values are quoted, except that the environment may contain its beginning."""

    def filled(gap: re.Match[str]) -> str:
        value = as_text(_value(gap, known))
        begins = gap[2] is not None and "?" not in _GAP.sub("", template[: gap.start()])
        return value if begins else percent_encoded(value, safe="", errors="replace")

    return _GAP.sub(filled, template)


def asked(template: Json) -> set[str]:
    """Return the names of the placeholders for values of the conversation."""
    return {gap[1].strip() for gap in _gaps(template) if gap[2] is None}


def variables(template: Json, *, needed: bool = False) -> set[str]:
    """Return the environment variables in a template; with `needed`, only those without a default."""
    return {gap[2] for gap in _gaps(template) if gap[2] is not None and not (needed and gap[3] is not None)}


def _gaps(template: Json) -> Iterator[re.Match[str]]:
    if isinstance(template, str):
        yield from _GAP.finditer(template)
    elif isinstance(template, dict | list):
        for value in template.values() if isinstance(template, dict) else template:
            yield from _gaps(value)


def as_text(value: Json) -> str:
    """Return a value as text; the items of a list are separated by commas."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(as_text, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _value(gap: re.Match[str], known: PlaceholderValues) -> Json:
    name, variable, otherwise = gap.groups()
    if variable is not None:
        return known.environment.get(variable) or otherwise or ""
    name = name.strip()
    if name in known.names:
        return known.names[name]
    meant = closest_name(name, known.names)
    hint = f"did you mean {{{{{meant}}}}}?" if meant else "give it a value under `values`, or a variable to the case"
    raise ChatbotError(f"the preset asks for {{{{{name}}}}}, which is not known here", hint=hint)
