"""The OpenAPI document of the service, generated from its routes, with examples of a launch request."""

import re
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from sparring.reports.formats import ReportFormat, formats
from sparring.scenarios.kinds import CALLS, scenario_kind
from sparring.web.api.launch import BODY, FILES, Options, SentFiles


def build_openapi(app: FastAPI) -> dict[str, Any]:
    """Build the OpenAPI document, without FastAPI's default 422 responses, which the app never sends."""
    described = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, openapi_version="3.1.0"
    )
    for path in described["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        described["components"]["schemas"].pop(unused, None)
    described["components"]["schemas"] |= _LAUNCH_SCHEMAS
    _drop_defaults(described)
    described["servers"] = [{"url": "/", "description": "this server"}]
    _describe_formats(described["paths"]["/api/batches/{id}/results"], lambda each: each.results is not None)
    _describe_formats(described["paths"]["/api/batches/{id}/report"], lambda each: each.batch is not None)
    described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    described["security"] = [{}, {"token": []}]
    return described


def _drop_defaults(described: dict[str, Any]) -> None:
    """Drop the defaults of request bodies: TypeScript clients take a field with a default as required."""
    operations = [each for path in described["paths"].values() for each in path.values() if "requestBody" in each]
    for operation in operations:
        (content,) = operation["requestBody"]["content"].values()
        named = [content["schema"], *content["schema"].get("anyOf", ())]
        for name in [each["$ref"].rpartition("/")[2] for each in named if "$ref" in each]:
            for field in described["components"]["schemas"][name]["properties"].values():
                field.pop("default", None)


def _describe_formats(path: dict[str, Any], wanted: Callable[[ReportFormat], bool]) -> None:
    """Add the media types of the formats of a download; JSON has its own schema already."""
    content = path["get"]["responses"]["200"]["content"]
    for each in filter(wanted, formats()):
        content.setdefault(each.media_type.partition(";")[0], {"schema": {"type": "string"}})


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, built once for each app."""
    made: dict[str, Any] | None = getattr(app.state, "described", None)
    if made is None:
        made = app.state.described = build_openapi(app)
    return made


def allowed_methods(app: FastAPI, path: str) -> list[str]:
    """Return the HTTP methods of a path."""
    return sorted(
        method.upper()
        for template, operations in openapi_document(app)["paths"].items()
        if re.fullmatch(
            re.sub(r"\{conversation}", ".+", template).replace("{id}", "[^/]+").replace("{hash}", "[0-9a-f]+"), path
        )
        for method in operations
    )


_CALLS = scenario_kind(CALLS)


def _named(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an option: null is the same as leaving it out."""
    if "anyOf" in schema:
        return schema
    outer: dict[str, Any] = {name: schema[name] for name in ("title", "description", "default") if name in schema}
    inner = {name: each for name, each in schema.items() if name not in outer}
    return {**outer, "anyOf": [inner, {"type": "null"}]}


def _request(title: str, key: str, what: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a launch request that has this key beside its options."""
    options = {name: _nullable(each) for name, each in Options.model_json_schema()["properties"].items()}
    return {
        "title": title,
        "description": Options.__doc__,
        "type": "object",
        "required": [key],
        "additionalProperties": False,
        "properties": {key: what, **options},
    }


_SCENARIOS: dict[str, Any] = {"type": "array", "minItems": 1, "items": _named("Scenario")}
_FILES = SentFiles.model_json_schema(ref_template="#/components/schemas/{model}")
_LAUNCH_SCHEMAS: dict[str, Any] = {
    "Scenario": {"title": "Scenario", **_CALLS.item_schema},
    "LaunchRequest": _request("LaunchRequest", BODY, _SCENARIOS),
    "LaunchFilesRequest": _request("LaunchFilesRequest", FILES, _FILES["properties"][FILES]),
    **_FILES["$defs"],
}

_FILE = {"name": "pizza.yml", "text": "name: pizza\ngoals: [a large custom pizza with ham]\n"}

LAUNCH: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"anyOf": [_named("LaunchRequest"), _named("LaunchFilesRequest"), _SCENARIOS]},
                "examples": {
                    "list": {"summary": "list of scenarios", "value": [_CALLS.example]},
                    "object": {
                        "summary": "with options",
                        "value": {"scenarios": [_CALLS.example], "prompt_version": "v1.0", "seed": 7, "repeat": 2},
                    },
                    "files": {"summary": "scenario files", "value": {"files": [_FILE], "repeat": 2}},
                },
            }
        },
    }
}
"""OpenAPI extras of the route that launches a batch."""
