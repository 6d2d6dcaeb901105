"""The description of the service, made from its code.

What a launch looks like, for the description of the service; a test sends each of them.
"""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from sparring.web.api.launch import Options


def openapi(app: FastAPI) -> dict[str, Any]:
    """The description of the app, without the answers that it never gives."""
    described = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, openapi_version="3.1.0"
    )
    for path in described["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        described["components"]["schemas"].pop(unused, None)
    described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    described["security"] = [{}, {"token": []}]
    return described


def described(app: FastAPI) -> dict[str, Any]:
    """The description, made once."""
    made: dict[str, Any] | None = getattr(app.state, "described", None)
    if made is None:
        made = app.state.described = openapi(app)
    return made


def methods(app: FastAPI, path: str) -> list[str]:
    """The methods that a path of the app has."""
    return sorted(
        method.upper()
        for template, operations in described(app)["paths"].items()
        if re.fullmatch(
            re.sub(r"\{conversation}", ".+", template).replace("{id}", "[^/]+").replace("{hash}", "[0-9a-f]+"), path
        )
        for method in operations
    )


SCENARIO: dict[str, Any] = {
    "name": "Calm reorder",
    "variables": {
        "PERSONALITY": "calm and friendly",
        "AMB_LEVEL": 0,
        "PATIENCE": 3,
        "ORDER_GOAL": [{"name": "a large custom pizza with ham", "qty": 1}],
        "CURRENT_DATE": "2026-03-02 Monday",
        "LOCATIONS": ["1 Example Street"],
        "DELIVERY_DAYS": ["Tuesday"],
        "PURCHASE_HISTORY": [],
        "SEED": 7,
    },
}
_SCENARIO_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name", "variables"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "variables": {"type": "object", "required": ["ORDER_GOAL"]},
    },
}
_SCENARIOS: dict[str, Any] = {"type": "array", "minItems": 1, "items": _SCENARIO_SCHEMA}


def _body() -> dict[str, Any]:
    properties = {"scenarios": _SCENARIOS, **Options.model_json_schema()["properties"]}
    either = {"type": "object", "required": ["scenarios"], "additionalProperties": False, "properties": properties}
    return {"anyOf": [_SCENARIOS, either]}


LAUNCH: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": _body(),
                "examples": {
                    "list": {"summary": "a list of scenarios", "value": [SCENARIO]},
                    "object": {
                        "summary": "with options",
                        "value": {"scenarios": [SCENARIO], "prompt_version": "v1.0", "seed": 7, "repeat": 2},
                    },
                },
            }
        },
    }
}
"""Added to the description of the route that launches a batch."""
