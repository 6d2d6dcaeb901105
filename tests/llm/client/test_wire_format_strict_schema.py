from typing import Any

from pydantic import BaseModel, Field

from sparring.llm.client.wire_format import strict


class Part(BaseModel):
    title: str = "untitled"
    weight: float | None = None


class Whole(BaseModel):
    """What is asked for."""

    parts: list[Part] = Field(description="all of them")
    first: Part = Field(default=Part(), description="the first")
    kind: str = Field("a", json_schema_extra={"enum": ["a", "b"]})


class Node(BaseModel):
    children: "list[Node]" = []


def test_everything_is_required_and_nothing_else_allowed_at_any_depth():
    assert strict(Whole.model_json_schema()) == {
        "type": "object",
        "description": "What is asked for.",
        "properties": {
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}, "description": "all of them"},
            "first": {"$ref": "#/$defs/Part"},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["parts", "first", "kind"],
        "additionalProperties": False,
        "$defs": {
            "Part": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "weight": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                },
                "required": ["title", "weight"],
                "additionalProperties": False,
            }
        },
    }


def test_a_schema_that_refers_to_itself_keeps_what_it_refers_to():
    node = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "required": ["children"],
        "additionalProperties": False,
    }

    assert strict(Node.model_json_schema()) == {"$defs": {"Node": node}, "$ref": "#/$defs/Node"}


def test_an_object_without_properties_may_hold_nothing_and_a_mapping_stays_one():
    mapping: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "integer"}}

    assert strict({"type": "object"})["additionalProperties"] is False
    assert strict(mapping) == mapping
