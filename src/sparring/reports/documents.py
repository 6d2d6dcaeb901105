"""Documents for programs, which every command prints with `--json`.

`sparring schema json` prints their JSON Schema.
"""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from sparring.core.calibration import Calibration
from sparring.core.value import Json, Value
from sparring.reports.causes import CauseSummary
from sparring.reports.scores import Agreement

SCHEMA = "sparring/1"

Keys = Mapping[str, str | type[Value]]

_CALLS: Keys = {"calls": "integer", "from_cache": "integer", "tokens": "object", "cost": "number?"}
_BATCH: Keys = {
    "batch": "string",
    "ref": "string",
    "seed": "integer",
    "players": "object",
    "sentence": "object",
    "counts": "object",
    "blame": "object",
    "rate": "object?",
    "outcome": "string",
    "outcomes": "object",
    "endings": "object",
    "not_run": "integer",
    "scores": "[object]",
    "causes": CauseSummary,
}
_MODELS: Keys = {"notes": "[string]", "warnings": "[object]", "cases": "[object]", "calls": "[number]?"}

KINDS: Mapping[str, Keys] = {
    "accepted": {"batch": "string", "name": "string"},
    "audit": {
        "batch": "string",
        "void": "integer",
        "faults": "object",
        "conversations": "[object]",
        "agreement": "[object]",
    },
    "batch": _BATCH,
    "batches": {"batches": "[object]"},
    "calls": {"conversation": "string", "calls": "[object]"},
    "copied": {"from": "string", "to": "string", "conversations": "number"},
    "rebuilt": {"store": "string", "batches": "number", "wrong": "number"},
    "migrated": {"store": "string", "batches": "number"},
    "cancelled": {"batch": "string", "status": "string"},
    "calibration": {"calibration": Calibration},
    "canaries": {"judge": "string", "rubrics": "object"},
    "cause": {"cause": CauseSummary, "conversations": "[object]"},
    "chat": {"id": "string", "messages": "[object]", "ending": "string?"},
    "comparison": {"before": "object", "after": "object", "pairs": "object", "changes": "object"},
    "completion": {"shell": "string", "script": "string"},
    "conversation": {"id": "string", "messages": "[object]", "ending": "string?"},
    "cost": {"batch": "string", "total": "object", "roles": "object", "models": "object", "conversations": "object"},
    "coverage": {"batches": "[string]", "tables": "[object]"},
    "deciding_turn": {"conversation": "string", "check": "string", "turn": "integer?", "among": "[integer]"},
    "doctor": {"sparring": "string", "python": "string", "store": "string", "keys": "object", "chatbot": "object?"},
    "error": {"error": "string", "hint": "string", "exit": "integer", "problems": "[object]"},
    "experiment": {"experiments": "object", "logs": "[object]", "warnings": "[string]"},
    "findings": {"conversations": "integer", "skipped": "integer", "rules": "[object]"},
    "fork": {
        "conversation": "string",
        "at": "integer",
        "changed": "object",
        "recorded": "object",
        "difference": "object",
    },
    "gate": {"came": "string", "lines": "[object]", "notes": "[string]"},
    "imported": {"batch": "string", "name": "string", "conversations": "integer", "skipped": "[object]"},
    "labels": {"batch": "string", "labels": "[object]", "agreement": "[object]"},
    "mutant": {"id": "string", "operator": "string", "state": "string", "played": "object?"},
    "mutation": {"score": "object?", "killed": "integer", "of": "integer", "counts": "object"},
    "null_bots": {"cases": "integer", "tried": "integer", "weak": "[object]"},
    "personas": {"personas": "[object]"},
    "plan": {"conversations": "integer", "repeats": "integer", "players": "object", "models": "[object]", **_MODELS},
    "prompts": {"prompts": "[object]"},
    "prompts_checked": {"checked": "[object]"},
    "prompts_diff": {"differences": "[string]"},
    "pruned": {"forgotten": "[object]", "kept": "[object]"},
    "reading": {"conversations": "[object]"},
    "schemas": {"kinds": "[string]", "document": "object?"},
    "serving": {"address": "string"},
    "worker": {"processes": "number", "concurrency": "number"},
    "promoted": {"scenario": "string", "variables": "[string]", "notes": "[string]", "written": "string"},
    "shrunk": {"check": "string", "replays": "object", "from": "object", "to": "object", "scenario": "string"},
    "suggestions": {"batch": "string", "suggestions": "[object]", "written": "string"},
    "status": {"batch_id": "string", "name": "string", "status": "string", "progress": "number"},
    "summary": {"batch_id": "string", "total_scenarios": "integer"},
    "tokens": {"tokens": "[object]"},
    "token": {"name": "string", "role": "string?", "token": "string?"},
    "trend": {"name": "string", "batches": "[object]"},
    "try": {"target": "string", "found": "[object]", "look_at": "[object]", "not_tried": "object"},
    "validation": {"files": "[object]"},
    "verdict": {"batch": "string", "verdict": "object", "agreements": Agreement},
    "written": {"written": "[string]"},
}
"""Keys that every document of a kind has, and their types: `?` may be null, a model is a list of its values."""


def document(kind: str, content: Mapping[str, Json]) -> dict[str, Json]:
    """Return a document of this kind."""
    head: dict[str, Json] = {"schema": SCHEMA, "kind": kind}
    return head | {**content} | head


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of all documents."""
    models = {each for keys in KINDS.values() for each in keys.values() if not isinstance(each, str)}
    named, definitions = models_json_schema([(each, "serialization") for each in sorted(models, key=str)])
    references = {model: reference for (model, _), reference in named.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents that commands print with --json",
        "oneOf": [_schema(kind, keys, references) for kind, keys in sorted(KINDS.items())],
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
