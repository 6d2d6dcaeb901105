"""Kinds of files other than scenarios: each with its schema, its check, and the keys that identify it.

Modules of a kind are imported with the first file of that kind, since most folders have few kinds.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sparring import parsing
from sparring.core.errors import InputError
from sparring.core.plugins import SCHEMES, preset_chatbot
from sparring.core.value import Json
from sparring.parsing import Document
from sparring.parsing.validate import JSON_SCHEMA
from sparring.scenarios.field_reader import ProblemList
from sparring.scenarios.kinds import OTHER_KEYS, scenario_keys, scenario_kinds
from sparring.scenarios.personas import personality_schema, read_personality


def _unchecked(path: Path) -> None:
    """Accept any file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of file: `check` raises an InputError with all problems of a file.

    A YAML file with one of `keys` is of this kind, unless it has a scenario key that is not in `shares`.
    """

    name: str
    schema: Callable[[], Any]
    check: Callable[[Path], None] = _unchecked
    keys: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()

    def has(self, names: Set[str]) -> bool:
        """Return True if a file with these top-level keys is of this kind."""
        return bool(self.keys & names) and not names & scenario_keys() - self.shares


def file_kind(name: str) -> FileKind:
    """Return the kind called `name`."""
    return next(each for each in FILE_KINDS if each.name == name)


def schemas() -> Mapping[str, Callable[[], Any]]:
    """Return a function that makes the schema of each kind of file, scenarios included."""
    scenarios = {each.label: each.schema for each in scenario_kinds() if each.schema is not None}
    return {**scenarios, **{each.name: each.schema for each in FILE_KINDS}}


def _model(module: str, name: str) -> Callable[[], Any]:
    """Return a function that makes the schema of a pydantic model."""
    return lambda: schema_of(getattr(import_module(module), name))


def _rule_schema() -> Any:
    from sparring.rules.rule_file import rule_schema

    return rule_schema()


def _check_rule(path: Path) -> None:
    from sparring.core.checks import InvalidRule
    from sparring.rules.rule_file import read_rule

    rule = read_rule(path)
    if isinstance(rule, InvalidRule):
        raise InputError(rule.problems)


def _check_rubric(path: Path) -> None:
    from sparring.judges.rubric_files import read_rubric

    read_rubric(path)


def _check_personality(path: Path) -> None:
    problems = ProblemList()
    read_personality(path, problems)
    problems.require_none()


def _check_grammar(path: Path) -> None:
    from sparring.llm import grammar

    grammar.load(path, None)


def _check_spec(path: Path) -> None:
    """Check a spec without its tools, which only running their file would reveal."""
    from sparring.chatbots.prompted import spec

    spec.read(path.parent, None)


def _check_mcp(path: Path) -> None:
    """Check the servers of a prompted chatbot without starting them."""
    from sparring.chatbots.prompted.mcp_tools import McpFile

    parsing.validate(parsing.load(path), McpFile)


def _check_preset(path: Path) -> None:
    from sparring.app.wiring import connect
    from sparring.chatbots.placeholders import variables
    from sparring.core.clock import SystemClock
    from sparring.llm.client.late_transport import LateTransport
    from sparring.llm.plugin_context import LLMConfig, PluginContext

    document = parsing.load(path)
    kind = preset_chatbot(document.data)
    # API keys are rarely set where files are checked; `doctor` and `run` report missing ones.
    environment = dict.fromkeys(variables(_texts(document)), f"{SCHEMES[kind]}://unset")
    connect(f"{kind}:{path}", PluginContext(LLMConfig(), SystemClock(), LateTransport(), environment=environment))


def _texts(document: Document) -> list[Json]:
    """Return all texts in a document."""
    todo, texts = [document.data], list[Json]()
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            texts.append(value)
        todo.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    return texts


FILE_KINDS = (
    FileKind(
        name="rule",
        schema=_rule_schema,
        check=_check_rule,
        keys=OTHER_KEYS["rule"],
        shares=frozenset({"scenarios"}),
    ),
    FileKind(name="personality", schema=personality_schema, check=_check_personality, keys=OTHER_KEYS["personality"]),
    FileKind(
        name="rubric",
        schema=_model("sparring.judges.rubric_files", "RubricFile"),
        check=_check_rubric,
        keys=OTHER_KEYS["rubric"],
    ),
    FileKind(
        name="preset",
        schema=_model("sparring.chatbots.preset", "Preset"),
        check=_check_preset,
        keys=OTHER_KEYS["preset"],
    ),
    FileKind(name="websocket", schema=_model("sparring.chatbots.websocket", "SocketPreset")),
    FileKind(name="command", schema=_model("sparring.chatbots.command", "CommandPreset")),
    FileKind(
        name="grammar",
        schema=_model("sparring.llm.grammar.grammar_file", "GrammarFile"),
        check=_check_grammar,
        keys=OTHER_KEYS["grammar"],
        shares=frozenset({"fallback"}),
    ),
    FileKind(name="spec", schema=_model("sparring.chatbots.prompted.spec", "SpecFile"), check=_check_spec),
    FileKind(name="mcp", schema=_model("sparring.chatbots.prompted.mcp_tools", "McpFile"), check=_check_mcp),
    FileKind(name="conversation", schema=_model("sparring.core.conversation", "Conversation")),
)
"""All kinds. A file with keys of two kinds belongs to the first."""


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
