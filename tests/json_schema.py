"""As much of JSON Schema as our own schemas use; anything else in one of them is an error."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

_TYPES: dict[str, Any] = {
    "string": lambda value: isinstance(value, str | date),  # as an editor sees a date
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_SILENT = {"$schema", "$defs", "title", "description", "default", "format", "discriminator"}


def errors(schema: Any, value: Any, root: Any = None, path: str = "") -> list[str]:
    """Where a value does not fit a schema."""
    root = root or schema
    return [error for key, wanted in schema.items() for error in _errors(key, wanted, schema, value, root, path)]


def _errors(key: str, wanted: Any, schema: Any, value: Any, root: Any, path: str) -> Iterator[str]:
    match key:
        case "$ref":
            yield from errors(root["$defs"][wanted.rpartition("/")[2]], value, root, path)
        case "type":
            kinds = wanted if isinstance(wanted, list) else [wanted]
            if not any(_TYPES[kind](value) for kind in kinds):
                yield f"{path}: is no {wanted}"
        case "enum" | "const":
            if value not in (wanted if key == "enum" else [wanted]):
                yield f"{path}: is none of {wanted}"
        case "anyOf" | "oneOf":
            if all(errors(each, value, root, path) for each in wanted):
                yield f"{path}: fits nothing"
        case "required":
            yield from (f"{path}: lacks {name}" for name in wanted if isinstance(value, dict) and name not in value)
        case "properties":
            for name in wanted.keys() & (value if isinstance(value, dict) else {}):
                yield from errors(wanted[name], value[name], root, f"{path}.{name}")
        case "additionalProperties":
            for name in set(value if isinstance(value, dict) else ()) - schema.get("properties", {}).keys():
                if wanted is False:
                    yield f"{path}.{name}: is not known"
                elif wanted is not True:
                    yield from errors(wanted, value[name], root, f"{path}.{name}")
        case "items":
            for index, item in enumerate(value if isinstance(value, list) else ()):
                yield from errors(wanted, item, root, f"{path}[{index}]")
        case "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                yield f"{path}: does not match"
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            if _TYPES["number"](value) and not _within(key, wanted, value):
                yield f"{path}: {key} {wanted}"
        case "minItems" | "minProperties" | "minLength":
            if isinstance(value, list | dict | str) and len(value) < wanted:
                yield f"{path}: is too short"
        case "maxItems" | "maxProperties" | "maxLength":
            if isinstance(value, list | dict | str) and len(value) > wanted:
                yield f"{path}: is too long"
        case _:
            assert key in _SILENT, f"{key} is not known to this checker"


def _within(key: str, limit: float, value: float) -> bool:
    return {
        "minimum": value >= limit,
        "exclusiveMinimum": value > limit,
        "maximum": value <= limit,
        "exclusiveMaximum": value < limit,
    }[key]
