"""ShareGPT's conversations: `from` and `value`. Calls have no ids: results follow in order."""

import re
from typing import Any

from sparring.core.conversation import Conversation
from sparring.core.value import mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.chatml import ROLES, id_of
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation, parsed

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_RESULT = re.compile(r"<tool_response>(.*?)</tool_response>", re.DOTALL)
_RESULTS = {"observation", "tool", "function_response", "function"}


def _parsed(entry: LogEntry) -> Conversation:
    turns = mappings(entry.value["conversations"])
    if len(turns) != len(entry.value["conversations"]):
        raise NotARecording("is not a conversation of ShareGPT: 'conversations' should be a list of turns")
    transcript, systems = Transcript(), list[str]()
    for turn in turns:
        role, value = _role(turn), turn.get("value", turn.get("content"))
        if role == "function_call":
            _add_calls(transcript, value)
            continue
        text = transcript.read(value)
        if role == "system":
            systems.append(text)
        elif role in _RESULTS:
            for result in _RESULT.findall(text) or [text]:
                transcript.result(result.strip())
        elif role in ROLES:
            transcript.say(ROLES[role], _CALL.sub("", text).strip() if ROLES[role] == "chatbot" else text)
            for written in _CALL.findall(text) if ROLES[role] == "chatbot" else ():
                _add_calls(transcript, written.strip())
        else:
            transcript.leave_out(f"turn from {role!r}")
    system = "\n".join(filter(None, systems))
    known = {
        name: value for name, value in entry.value.items() if name not in ("conversations", "tools", "id", "system")
    }
    system = system or str(entry.value.get("system") or "")
    tools = parsed(entry.value.get("tools"))
    return conversation(
        id_of(entry.value) or entry.label,
        transcript,
        variables={**known, **({"system_prompt": system} if system else {})},
        tools=tools if tools else None,
    )


def _role(turn: dict[str, Any]) -> str:
    return str(turn.get("from", turn.get("role"))).strip().lower()


def _add_calls(transcript: Transcript, written: Any) -> None:
    """Add the calls in a text: one object, or a list of them."""
    for call in transcript.items(parsed(written), "call"):
        transcript.call(call.get("name"), call.get("arguments", call.get("parameters")))


def _fits(entry: LogEntry) -> bool:
    turns = mapping(entry.value).get("conversations")
    return isinstance(turns, list) and (not turns or bool(mapping(turns[0]).keys() & {"from", "role"}))


FORMAT = LogFormat(_fits, each(_parsed))
