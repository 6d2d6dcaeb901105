"""A JSON schema as strict structured output wants it."""

from collections.abc import Mapping
from typing import Any

_UNWELCOME = {"default", "title"}  # refused by some providers, and of use to none
_PLAIN = {"const", "enum", "examples", "required"}  # values, not schemas
_NAMED = {"properties", "$defs", "definitions"}  # mappings whose keys are names, not keywords


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same shape with nothing optional and nothing extra: every property required, no others allowed."""
    if "$ref" in schema:  # a reference may have nothing beside it but what it refers to
        return {key: _inside(key, value) for key, value in schema.items() if key in ("$ref", "$defs")}
    written = {key: _inside(key, value) for key, value in schema.items() if key not in _UNWELCOME}
    if "properties" in written or (written.get("type") == "object" and "additionalProperties" not in written):
        written["required"] = list(written.setdefault("properties", {}))
        written["additionalProperties"] = False
    return written


def _inside(key: str, value: Any) -> Any:
    if key in _PLAIN:
        return value
    if key in _NAMED:
        return {name: strict(part) for name, part in value.items()}
    if isinstance(value, Mapping):
        return strict(value)
    if isinstance(value, list):
        return [strict(part) if isinstance(part, Mapping) else part for part in value]
    return value
