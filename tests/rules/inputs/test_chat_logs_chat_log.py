import pytest

from sparring.core.message import ToolCall
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.chat_logs import parse_chat_log_line
from sparring.rules.recording import RecordedMessage, Recording


def test_a_log_in_the_openai_shape_becomes_a_recording():
    call = {"id": "1", "function": {"name": "refund", "arguments": '{"id": 7}'}}
    entry = {
        "id": "x",
        "model": "m",
        "metadata": {"size": "small"},
        "messages": [
            {"role": "system", "content": "be nice"},
            {"role": "user", "content": [{"type": "text", "text": "refund me"}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": '{"ok": true}'},
            {"role": "assistant", "content": "done"},
        ],
    }

    assert parse_chat_log_line(entry, 1) == Recording(
        id="x",
        names={
            "conversation_id": "x",
            "conversation_model": "m",
            "conversation_size": "small",
            "id": "x",
            "model": "m",
            "size": "small",
        },
        messages=(
            RecordedMessage("user", "refund me"),
            RecordedMessage("chatbot", "", (ToolCall(name="refund", arguments={"id": 7}, result={"ok": True}),)),
            RecordedMessage("chatbot", "done"),
        ),
        reports_tools=True,
    )


def test_broken_arguments_are_an_error_of_the_call():
    call = {"id": "1", "function": {"name": "refund", "arguments": "{"}}

    recording = parse_chat_log_line({"messages": [{"role": "assistant", "tool_calls": [call]}]}, 3)

    assert recording.id == "line 3"
    assert recording.messages[0].tool_calls == (ToolCall(name="refund", error="the arguments are not a JSON object"),)


def test_without_messages_it_is_no_log():
    with pytest.raises(NotARecording, match="'messages' should be a list"):
        parse_chat_log_line({"messages": "hi"}, 1)


def test_a_result_that_is_nested_too_deep_to_be_kept_stays_text():
    nested = "[" * 60 + "]" * 60
    call = {"id": "1", "function": {"name": "look", "arguments": "{}"}}
    entry = {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": nested},
        ]
    }

    (_, said) = parse_chat_log_line(entry, 1).messages

    assert said.tool_calls[0].result == nested
