"""Placeholders in presets: `{{name}}` for values of the conversation, `${NAME}` for the environment.

`${NAME:-words}` has a default. Everything is filled in one pass: values are never expanded again. `{{*name}}` as an
item of a list stands for the items of that list, and `{{new_uuid}}` is another UUID at every place.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote as percent_encoded
from uuid import uuid4

from sparring.core.errors import ChatbotError
from sparring.core.text import closest_name
from sparring.core.value import Json

_GAP = re.compile(r"\{\{([^{}]*)\}\}|\$\{([A-Za-z_]\w*)(?::-([^{}]*))?\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PlaceholderValues:
    """Values of placeholders. Most are secret or large, so the repr hides them."""

    names: Mapping[str, Json] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)


def fill(template: Json, known: PlaceholderValues) -> Json:
    """Return a filled template. A placeholder alone in its text keeps its type: `"{{count}}"` becomes 3."""

    if isinstance(template, str):
        alone = _GAP.fullmatch(template)
        return _value(alone, known) if alone else fill_text(template, known)
    if isinstance(template, dict):
        return {name: fill(value, known) for name, value in template.items()}
    return _filled_items(template, known) if isinstance(template, list) else template


def _filled_items(items: list[Json], known: PlaceholderValues) -> list[Json]:
    filled: list[Json] = []
    for item in items:
        value = fill(item, known)
        filled += value if _is_splice(item) and isinstance(value, list) else [value]
    return filled


def _is_splice(item: Json) -> bool:
    gap = _GAP.fullmatch(item) if isinstance(item, str) else None
    return gap is not None and (gap[1] or "").startswith("*")


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
    return {_name(gap) for gap in _gaps(template) if gap[2] is None}


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
    variable, otherwise = gap[2], gap[3]
    if variable is not None:
        return known.environment.get(variable) or otherwise or ""
    name = _name(gap)
    if name == "new_uuid":
        return str(uuid4())
    if name in known.names:
        return known.names[name]
    meant = closest_name(name, known.names)
    hint = f"did you mean {{{{{meant}}}}}?" if meant else "give it a value under `values`, or a variable to the case"
    raise ChatbotError(f"the preset asks for {{{{{name}}}}}, which is not known here", hint=hint)


def _name(gap: re.Match[str]) -> str:
    return gap[1].strip().removeprefix("*")
