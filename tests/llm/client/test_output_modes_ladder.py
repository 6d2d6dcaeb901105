import json
from typing import Any

import pytest

from sparring.llm.client.output_modes import OutputModes, shape, shaped
from sparring.llm.client.provider_errors import ProviderError
from sparring.llm.model import Completion, Request, Schema, Tool, ToolRequest
from tables import table

SCHEMA = Schema("score", {"type": "object", "properties": {"score": {"type": "integer", "default": 1}}})
STRICT = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
ASK = Request((), answer=SCHEMA)
NO = ProviderError(400, "response_format is not supported")


def body() -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Well?"}]}


def test_every_refusal_is_one_step_down_and_the_last_rung_has_none_below():
    ladder = OutputModes()
    steps = [(rung := ladder.rung(ASK), ladder.step_down(rung, NO)) for _ in range(5)]

    assert steps == [
        ("json_schema", "going on without json_schema"),
        ("tool", "going on without tool"),
        ("json_object", "going on without json_object"),
        ("prompt", ""),
        ("prompt", ""),
    ]


def test_a_late_refusal_from_a_higher_rung_does_not_step_down_again():
    ladder = OutputModes()
    for _ in range(3):
        assert ladder.step_down("json_schema", NO)

    assert ladder.rung(ASK) == "tool"


def test_where_tools_are_offered_the_answer_is_not_forced_to_be_one():
    ladder = OutputModes()
    ladder.step_down("json_schema", NO)

    assert ladder.rung(Request((), tools=(Tool("menu", "", {}),), answer=SCHEMA)) == "json_object"


def test_any_answer_needs_no_rung():
    ladder = OutputModes()

    assert (ladder.rung(Request(())), ladder.step_down(None, NO)) == (None, "")


@table(
    "refusal",
    [
        ProviderError(
            400, "Invalid schema for response_format 'score': In context=(), 'additionalProperties' is required"
        ),
        ProviderError(400, "'response_format.type' must be 'json_schema' or 'text'"),
        ProviderError(400, "This response_format type is unavailable now"),
        ProviderError(400, "This model does not support response format `json_schema`."),
        ProviderError(404, "No endpoints found that support tool use."),
        ProviderError(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        ProviderError(422, "body.response_format: Extra inputs are not permitted"),
        ProviderError(400, "'messages' must contain the word 'json' in some form, to use 'response_format'"),
    ],
)
def test_what_servers_say_against_a_shape_is_understood(refusal: ProviderError):
    assert OutputModes().step_down("json_schema", refusal)


@pytest.mark.parametrize(
    "refusal",
    [
        ProviderError(400, "This model's maximum context length is 4097 tokens, 30 of them in the functions."),
        ProviderError(404, "The model `x` does not exist"),
        ProviderError(401, "response_format is not supported"),
        ProviderError(500, "response_format is not supported"),
    ],
)
def test_other_refusals_are_no_reason_to_step_down(refusal: ProviderError):
    assert not OutputModes().step_down("json_schema", refusal)


def test_the_first_rung_asks_for_a_strict_schema():
    asked = body()
    shape(asked, SCHEMA, "json_schema")

    assert asked == body() | {
        "response_format": {"type": "json_schema", "json_schema": {"name": "score", "schema": STRICT, "strict": True}}
    }


def test_the_second_forces_a_tool_whose_arguments_are_the_answer():
    asked = body()
    shape(asked, SCHEMA, "tool")
    function = {"name": "score", "description": "Give the answer.", "parameters": STRICT}

    assert asked == body() | {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": "score"}},
    }
    assert shaped(
        Completion("Here:", (ToolRequest("1", "other", "[]"), ToolRequest("2", "score", '{"score":')), model="m"),
        SCHEMA,
        "tool",
    ) == Completion('{"score":', model="m", rung="tool")


@pytest.mark.parametrize(("rung", "format"), [("json_object", {"type": "json_object"}), ("prompt", None)])
def test_the_others_put_the_schema_into_the_system_message(rung: Any, format: Any):
    asked = body()
    shape(asked, SCHEMA, rung)

    system, user = asked["messages"]
    assert (user, asked.get("response_format")) == (body()["messages"][1], format)
    assert system["content"].startswith("Judge.\n\nAnswer with one JSON object")
    assert json.loads(system["content"][system["content"].index("{") :]) == SCHEMA.schema


def test_a_request_without_a_system_message_gets_one():
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": "Well?"}]}
    shape(asked, SCHEMA, "prompt")

    assert [message["role"] for message in asked["messages"]] == ["system", "user"]


def test_an_answer_that_came_as_text_stays_text():
    assert shaped(Completion("{}"), SCHEMA, "tool") == Completion("{}", rung="tool")
