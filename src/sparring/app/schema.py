"""JSON Schemas of pydantic models, as files are written."""

from typing import Any

from pydantic import BaseModel

from sparring.parsing.validate import JSON_SCHEMA


def schema_of(model: type[BaseModel]) -> Any:
    """Return the schema of a model, with the short forms that its parser accepts."""
    found: dict[str, Any] = _as_written(model.model_json_schema())
    for step in ("Every", "Having"):  # of a path, which is text
        found.get("$defs", {}).pop(step, None)
    if "reply" in found.get("properties", {}):  # a text response is its own reply
        found["required"] = [name for name in found["required"] if name != "reply"]
    return {"$schema": JSON_SCHEMA, **found}


_TEXT: Any = {"type": "string"}
_TEXTS: Any = {"type": "array", "items": _TEXT}
_SHORTER: Any = {"Said": [_TEXT, _TEXTS], "Sign": [_TEXT]}
"""Short forms in a preset: one path, or several."""

_ALONE = {"JsonPath", "Choices", "Exchange", "Opening", "Sign"}
"""A single one of these is accepted in place of a list."""


def _as_written(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_as_written(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("title") == "JsonPath":
        return {**_TEXT, "description": "where in an answer something is, as in data.messages[*].text"}
    # Pydantic repeats every name as a title; a property that is called so is a mapping.
    read = {name: _as_written(value) for name, value in schema.items() if name != "title" or isinstance(value, dict)}
    if "default" in read:
        read["default"] = _default(read["default"])
    if _referred(read) in _SHORTER:
        return {"anyOf": [read, *_SHORTER[_referred(read)]]}
    if _referred(schema.get("items")) in _ALONE:
        return {"anyOf": [read, read["items"]]}
    return {"anyOf": [read, _TEXT]} if schema.get("title") == "Command" else read


def _default(value: Any) -> Any:
    """Return a default as it is written in a file: a path is text."""
    if isinstance(value, list):
        return [_default(each) for each in value]
    return value["written"] if isinstance(value, dict) and "written" in value else value


def _referred(schema: Any) -> str:
    """Return the name of the definition that a schema refers to, or an empty text."""
    return str(schema.get("$ref", "")).rpartition("/")[2] if isinstance(schema, dict) else ""
