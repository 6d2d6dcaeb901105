"""Chat logs in the OpenAI messages shape, one JSON object with `messages` a line.

Whatever else a line holds is a name rules may use; so is what it holds under `metadata` and `variables`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from sparring.checking.inputs.problem import NotARecording, fits
from sparring.checking.recorded import named
from sparring.checking.recording import Recording, Said
from sparring.core.message import ToolCall
from sparring.core.value import DEEPEST, is_deeper

_MOST_VALUES = 200_000
_IDS = ("id", "conversation_id", "session_id", "thread_id")


def parse_chat_log_line(entry: Mapping[str, Any], number: int) -> Recording:
    """The recording that a line holds; without an id of its own it is called by its `number`."""
    if not fits(entry, _MOST_VALUES):
        raise NotARecording("holds too many values, or is nested too deeply")
    messages = entry.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise NotARecording("is not a chat log: 'messages' should be a list of messages")
    about = {key: value for key, value in entry.items() if key not in ("messages", "metadata", "variables", "tools")}
    calls = any(message.get("tool_calls") for message in messages)
    return Recording(
        id=next((str(entry[key]) for key in _IDS if isinstance(entry.get(key), str | int)), f"line {number}"),
        names=named(_mapping(entry.get("variables")), {}, about | _mapping(entry.get("metadata"))),
        messages=tuple(_said(messages)),
        reports_tools=calls or "tools" in entry,
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _said(messages: list[dict[str, Any]]) -> Iterator[Said]:
    """Users and assistants; a tool's answer belongs to the call it answers."""
    results = {
        message.get("tool_call_id"): message.get("content") for message in messages if message.get("role") == "tool"
    }
    for message in messages:
        text = _text(message.get("content"))
        if message.get("role") == "user":
            yield Said("user", text)
        elif message.get("role") == "assistant":
            yield Said("chatbot", text, tuple(_calls(message.get("tool_calls"), results)))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)


def _calls(calls: Any, results: Mapping[Any, Any]) -> Iterator[ToolCall]:
    for call in calls if isinstance(calls, list) else ():
        function = _mapping(_mapping(call).get("function"))
        arguments, error = _arguments(function.get("arguments"))
        result = _json(results.get(call.get("id")))
        yield ToolCall(name=str(function.get("name", "")), arguments=arguments, result=result, error=error)


def _arguments(written: Any) -> tuple[dict[str, Any], str]:
    value = _json(written) if written else {}
    return (value, "") if isinstance(value, dict) else ({}, "the arguments are not a JSON object")


def _json(text: Any) -> Any:
    """What a text means as JSON, or the text itself; what is nested too deep to be kept stays text."""
    try:
        value = orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        return text
    return text if isinstance(text, str) and is_deeper(value, DEEPEST) else value
