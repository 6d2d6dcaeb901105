"""What a launch looks like, for the description of the service; a test sends each of them."""

from typing import Any

from sparring.web.launching import Options

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
