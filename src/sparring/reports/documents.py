"""Documents for programs, which every command prints with `--json`.

`sparring schema json` prints their JSON Schema.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from sparring.core.judgements import Calibration
from sparring.core.value import Json, Value
from sparring.reports.causes import CauseSummary
from sparring.reports.scores import Agreement

SCHEMA = "sparring/1"

Keys = Mapping[str, str | type[Value]]

_MODELS: Mapping[str, type[Value]] = {each.__name__: each for each in (Agreement, Calibration, CauseSummary)}


@cache
def document_kinds() -> Mapping[str, Keys]:
    """Return the keys that documents of each kind have, with their types, from `documents.toml`."""
    kinds = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {kind: {key: _MODELS.get(name, name) for key, name in keys.items()} for kind, keys in kinds.items()}


def document(kind: str, content: Mapping[str, Json]) -> dict[str, Json]:
    """Return a document of this kind."""
    head: dict[str, Json] = {"schema": SCHEMA, "kind": kind}
    return head | {**content} | head


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of all documents."""
    models = {each for keys in document_kinds().values() for each in keys.values() if not isinstance(each, str)}
    named, definitions = models_json_schema([(each, "serialization") for each in sorted(models, key=str)])
    references = {model: reference for (model, _), reference in named.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents that commands print with --json",
        "oneOf": [_schema(kind, keys, references) for kind, keys in sorted(document_kinds().items())],
        **definitions,
    }


def _schema(kind: str, keys: Keys, references: Mapping[Any, Any]) -> dict[str, Any]:
    head = {"schema": {"const": SCHEMA}, "kind": {"const": kind}}
    properties = head | {key: _type(each, references) for key, each in keys.items()}
    return {"title": kind, "type": "object", "required": list(properties), "properties": properties}


def _type(each: str | type[Value], references: Mapping[Any, Any]) -> dict[str, Any]:
    if not isinstance(each, str):
        one = references[each]
        return {"anyOf": [one, {"type": "array", "items": one}]}
    name = each.removesuffix("?")
    found: dict[str, Any] = {"type": name}
    if name.startswith("["):
        found = {"type": "array", "items": {"type": name[1:-1]}}
    return {"anyOf": [found, {"type": "null"}]} if each.endswith("?") else found
