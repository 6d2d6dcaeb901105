"""JSON Schemas of the files that people write, for editors.

Models of pydantic describe themselves, and scenario kinds by the tables that their parsers read. Rules have a schema
file beside their parser; a test compares its keys and values with those that the parser accepts.
"""

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import orjson
from pydantic import BaseModel

from sparring.scenarios.kinds import scenario_kinds
from sparring.scenarios.personas import personality_schema

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> Mapping[str, Callable[[], Any]]:
    """Return a function for each kind of file that makes its schema."""
    scenarios = {each.label: each.schema for each in scenario_kinds() if each.schema is not None}
    return {**scenarios, **_OTHERS}


def _preset() -> Any:
    from sparring.chatbots.preset import Preset

    return schema_of(Preset)


def _websocket() -> Any:
    from sparring.chatbots.websocket import SocketPreset

    return schema_of(SocketPreset)


def _command() -> Any:
    from sparring.chatbots.command import CommandPreset

    return schema_of(CommandPreset)


def _grammar() -> Any:
    from sparring.llm.grammar.grammar_file import GrammarFile

    return schema_of(GrammarFile)


def _spec() -> Any:
    from sparring.chatbots.prompted.spec import SpecFile

    return schema_of(SpecFile)


def _rubric() -> Any:
    from sparring.judges.rubric_files import RubricFile

    return schema_of(RubricFile)


def _conversation() -> Any:
    from sparring.core.conversation import Conversation

    return schema_of(Conversation)


def _rule() -> Any:
    from sparring.rules.language.semantics import MAX_CONVERSATIONS
    from sparring.rules.rule_file import QUANTIFIERS

    schema = orjson.loads((files("sparring.rules") / "rule_schema.json").read_bytes())
    counts = range(1, MAX_CONVERSATIONS + 1)
    schema["properties"]["conversations"]["anyOf"] = [
        {"type": "integer", "minimum": 1, "maximum": MAX_CONVERSATIONS},
        {"enum": ["all", *map(str, counts)]},
    ]
    schema["properties"]["quantifier"]["enum"] = list(QUANTIFIERS)
    return schema


_OTHERS: Mapping[str, Callable[[], Any]] = {
    "rule": _rule,
    "personality": personality_schema,
    "rubric": _rubric,
    "preset": _preset,
    "websocket": _websocket,
    "command": _command,
    "grammar": _grammar,
    "spec": _spec,
    "conversation": _conversation,
}


def schema_of(model: type[BaseModel]) -> Any:
    """Return the schema of a model, with the short forms that its parser accepts."""
    found: dict[str, Any] = _as_written(model.model_json_schema())
    found.get("$defs", {}).pop("Every", None)
    if "reply" in found["properties"]:  # a text response is its own reply
        found["required"] = [name for name in found["required"] if name != "reply"]
    return {"$schema": _DIALECT, **found}


_TEXT: Any = {"type": "string"}
_TEXTS: Any = {"type": "array", "items": _TEXT}
_SHORTER: Any = {"Said": [_TEXT, _TEXTS], "Sign": [_TEXT]}
"""Short forms in a preset: one path, or several."""

_ALONE = {"JsonPath", "Choices", "Exchange", "Opening"}
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
    if isinstance(default := read.get("default"), dict) and "written" in default:
        read["default"] = default["written"]
    if _referred(read) in _SHORTER:
        return {"anyOf": [read, *_SHORTER[_referred(read)]]}
    if _referred(read.get("items")) in _ALONE:
        return {"anyOf": [read, read["items"]]}
    return {"anyOf": [read, _TEXT]} if schema.get("title") == "Command" else read


def _referred(schema: Any) -> str:
    """Return the name of the definition that a schema refers to, or an empty text."""
    return str(schema.get("$ref", "")).rpartition("/")[2] if isinstance(schema, dict) else ""
