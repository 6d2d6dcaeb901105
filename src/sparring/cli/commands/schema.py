"""`sparring schema KIND`: a JSON Schema, by which editors complete and check what people write.

`sparring personas`: the personalities that come along, by the names that scenarios use.
"""

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Annotated, Any

import orjson
import typer
from pydantic import BaseModel

from sparring.cli import options
from sparring.cli.console import say
from sparring.cli.process import PASSED
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.scenarios.kinds import CALLS, scenario_kind
from sparring.scenarios.personas import shipped

app = options.application()

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="scenario, profile, playbook, rule, preset, ...")] = "",
) -> int:
    """Print the JSON Schema of a kind of file, for editors; without KIND, which kinds there are."""
    if not kind:
        for each in KINDS:
            say(each)
        return PASSED
    if kind not in KINDS:
        raise InputError(f"there is no schema for {kind[:40]!r}", hint=f"there are: {', '.join(KINDS)}")
    say(orjson.dumps(KINDS[kind](), option=orjson.OPT_INDENT_2).decode())
    return PASSED


def _written(name: str) -> Callable[[], Any]:
    """A schema that somebody wrote, for what is read without a model of pydantic's."""
    return lambda: orjson.loads((files("sparring.cli") / "schemas" / f"{name}.json").read_bytes())


def _calls() -> Any:
    file = scenario_kind(CALLS).schema
    return {} if file is None else orjson.loads(file.read_bytes())


def _settings() -> Any:
    from sparring.settings import Settings

    return _of(Settings)


def _preset() -> Any:
    from sparring.chatbots.preset import Preset

    return _of(Preset)


def _websocket() -> Any:
    from sparring.chatbots.websocket import SocketPreset

    return _of(SocketPreset)


def _command() -> Any:
    from sparring.chatbots.command import CommandPreset

    return _of(CommandPreset)


def _grammar() -> Any:
    from sparring.llm.grammar.grammar_file import GrammarFile

    return _of(GrammarFile)


def _spec() -> Any:
    from sparring.chatbots.prompted.spec import SpecFile

    return _of(SpecFile)


def _rubric() -> Any:
    from sparring.judges.rubric_files import RubricFile

    return _of(RubricFile)


def _conversation() -> Any:
    from sparring.core.conversation import Conversation

    return _of(Conversation)


KINDS: Mapping[str, Callable[[], Any]] = {
    "scenario": _written("scenario"),
    "profile": _written("profile"),
    "playbook": _written("playbook"),
    "scenarios": _calls,
    "rule": _written("rule"),
    "personality": _written("personality"),
    "rubric": _rubric,
    "preset": _preset,
    "websocket": _websocket,
    "command": _command,
    "settings": _settings,
    "grammar": _grammar,
    "spec": _spec,
    "conversation": _conversation,
}


def _of(model: type[BaseModel]) -> Any:
    """The schema of a model, with what may be written for it and is read as something longer."""
    found: dict[str, Any] = _as_written(model.model_json_schema())
    found.get("$defs", {}).pop("Every", None)
    if "reply" in found["properties"]:  # an answer that is text is its own reply
        found["required"] = [name for name in found["required"] if name != "reply"]
    return {"$schema": _DIALECT, **found}


_TEXT: Any = {"type": "string"}
_TEXTS: Any = {"type": "array", "items": _TEXT}
_SHORTER: Any = {"Said": [_TEXT, _TEXTS], "Sign": [_TEXT]}
"""What may stand for these in a preset: a path, or several."""

_ALONE = {"JsonPath", "Choices", "Exchange", "Opening"}
"""One of these may stand where a list of them may."""


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
    """The name of the definition that a schema refers to, if it does."""
    return str(schema.get("$ref", "")).rpartition("/")[2] if isinstance(schema, dict) else ""


personas_app = options.application()


@personas_app.command()
def personas(as_json: options.Json = False) -> int:
    """List the personalities that come along. A scenario names one as its user: `user: rude-user`."""
    if as_json:
        told: Json = [{"name": each.name, "traits": list(each.traits)} for each in shipped()]
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return PASSED
    for each in shipped():
        say(each.name)
        for trait in each.traits:
            say(f"  - {trait}")
    return PASSED
