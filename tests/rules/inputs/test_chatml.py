from pathlib import Path
from typing import Any

import pytest

from read_logs import jsonl, problems, read, said
from sparring.rules.inputs.recordings import Conversations
from sparring.rules.recording import recording_of

CALL = {"id": "1", "function": {"name": "refund", "arguments": '{"id": 7}'}}
USER = {"role": "user", "content": "refund me"}


def test_a_log_in_the_openai_shape_becomes_a_conversation(tmp_path: Path):
    entry = {
        "id": "x",
        "model": "m",
        "metadata": {"size": "small"},
        "messages": [
            {"role": "system", "content": "be nice"},
            {"role": "user", "content": [{"type": "text", "text": "refund me"}]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "1", "content": '{"ok": true}'},
            {"role": "assistant", "content": "done"},
        ],
    }

    (found,) = read(jsonl(tmp_path / "a.jsonl", entry))

    assert (found.id, found.reports_tools) == ("x", True)
    assert found.case.variables == {"id": "x", "model": "m", "size": "small", "system_prompt": "be nice"}
    assert said(found) == [
        ("user", "refund me"),
        ("chatbot", "done", ("refund", {"id": 7}, {"ok": True}, "succeeded")),
    ]
    assert recording_of(found).names["size"] == "small"


SHAPES: dict[str, list[dict[str, Any]]] = {
    "legacy": [
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "refund", "arguments": '{"id": 7}'}},
        {"role": "function", "name": "refund", "content": '{"ok": true}'},
        {"role": "assistant", "content": "done"},
    ],
    "responses": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "refund me"}]},
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "1", "name": "refund", "arguments": '{"id": 7}'},
        {"type": "function_call_output", "call_id": "1", "output": '{"ok": true}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ],
    "anthropic": [
        USER,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "text": "hm"},
                {"type": "tool_use", "id": "1", "name": "refund", "input": {"id": 7}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": '{"ok": true}'}]},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ],
    "langchain": [
        {"type": "human", "content": "refund me"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "refund", "args": {"id": 7}, "id": "1"}]},
        {"type": "tool", "content": '{"ok": true}', "tool_call_id": "1", "status": "success"},
        {"type": "ai", "content": "done"},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_other_shapes_of_messages_say_the_same(tmp_path: Path, shape: str):
    (found,) = read(jsonl(tmp_path / "a.jsonl", {"messages": SHAPES[shape]}))

    assert said(found) == [
        ("user", "refund me"),
        ("chatbot", "done", ("refund", {"id": 7}, {"ok": True}, "succeeded")),
    ]


def test_a_file_may_be_one_list_of_messages(tmp_path: Path):
    (found,) = read(jsonl(tmp_path / "a.json", {"messages": SHAPES["legacy"]}))

    assert (found.id, len(found.messages)) == ("a.json", 2)


def test_broken_arguments_are_an_error_of_the_call(tmp_path: Path):
    call = {"id": "1", "function": {"name": "refund", "arguments": "{"}}

    (found,) = read(jsonl(tmp_path / "a.jsonl", {"messages": [{"role": "assistant", "tool_calls": [call]}]}))

    assert said(found) == [("chatbot", "", ("refund", {}, "the arguments are not a JSON object: {", "failed"))]
    assert found.id == "line 1"


def test_of_results_the_failed_are_errors_and_a_call_without_one_was_attempted(tmp_path: Path):
    calls = [{"id": str(number), "function": {"name": "look", "arguments": "{}"}} for number in range(3)]
    results = [
        {"role": "tool", "tool_call_id": "0", "content": "no such order", "status": "error"},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
    ]

    (found,) = read(
        jsonl(tmp_path / "a.jsonl", {"messages": [USER, {"role": "assistant", "tool_calls": calls}, *results]})
    )

    assert said(found)[1][2:] == (
        ("look", {}, "no such order", "failed"),
        ("look", {}, "found", "succeeded"),
        ("look", {}, None, "attempted"),
    )


@pytest.mark.parametrize(
    ("entry", "options", "reports"),
    [
        ({"messages": [USER]}, {}, False),
        ({"messages": [USER], "tools": []}, {}, True),
        ({"messages": [USER]}, {"complete_tools": True}, True),
    ],
)
def test_missing_calls_mean_something_only_where_the_log_shows_all(
    tmp_path: Path, entry: dict[str, Any], options: dict[str, bool], reports: bool
):
    (found,) = read(jsonl(tmp_path / "a.jsonl", entry), **options)

    assert found.reports_tools is reports


def test_without_messages_it_is_no_log(tmp_path: Path):
    assert problems(jsonl(tmp_path / "a.jsonl", {"messages": "hi"})) == [
        ":1: is not a chat log: 'messages' should be a list of messages"
    ]


def test_a_result_that_is_nested_too_deep_to_be_kept_stays_text(tmp_path: Path):
    nested = "[" * 60 + "]" * 60
    messages = [
        USER,
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": nested},
    ]

    (found,) = read(jsonl(tmp_path / "a.jsonl", {"messages": messages}))

    assert found.messages[1].tool_calls[0].result == nested


def test_parts_without_a_place_in_a_conversation_are_reported_and_the_rest_is_read(tmp_path: Path):
    file = jsonl(
        tmp_path / "a.jsonl",
        {"id": "first", "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}]},
        {
            "id": "second",
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {}}, {"type": "text", "text": "see"}]},
                {"role": "narrator", "content": "A pause."},
                {"role": "narrator", "content": "Another."},
                {"role": "tool", "tool_call_id": "c9", "content": "1"},
                {"role": "system", "content": "Now be brief."},
            ],
        },
    )

    assert problems(file) == [
        ":2: second: left out: part of the type 'image_url', 2 × message of the role 'narrator', message of the "
        "role 'system', result of the call 'c9', which is not there"
    ]
    (_, found) = Conversations(file)
    assert (said(found), len(found.warnings)) == ([("user", "see")], 1)
