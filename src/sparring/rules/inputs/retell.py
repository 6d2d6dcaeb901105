"""Calls and chats of Retell: `transcript_with_tool_calls`. They show all tool calls."""

from typing import Any

from sparring.core.conversation import Conversation, Ending
from sparring.core.value import mapping
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation

_TURNS = ("transcript_with_tool_calls", "message_with_tool_calls", "transcript_with_tool_calls_post_session")
_ENDINGS = {
    "user_hangup": Ending.USER_DONE,
    "agent_hangup": Ending.CHATBOT_DONE,
    "call_transfer": Ending.CHATBOT_DONE,
    "inactivity": Ending.TIMEOUT,
    "max_duration_reached": Ending.TIMEOUT,
}


def _parsed(entry: LogEntry) -> Conversation:
    call = mapping(entry.value.get("call") or entry.value.get("chat")) or entry.value
    transcript = Transcript()
    for turn in transcript.items(next((call[name] for name in _TURNS if call.get(name)), []), "turn"):
        _add(transcript, turn)
    reason = str(call.get("disconnection_reason") or "")
    known = {**mapping(call.get("retell_llm_dynamic_variables")), "agent": call.get("agent_name"), "ended_by": reason}
    return conversation(
        str(call.get("call_id") or call.get("chat_id") or entry.label),
        transcript,
        variables={name: value for name, value in known.items() if value},
        ending=Ending.CHATBOT_FAILED if "error" in reason else _ENDINGS.get(reason, Ending.USER_DONE),
        error=reason if "error" in reason else "",
        complete=True,
    )


def _add(transcript: Transcript, turn: dict[str, Any]) -> None:
    """Add a turn; node changes and system texts are skipped."""
    role, content = turn.get("role"), turn.get("content")
    if role in ("user", "agent"):
        transcript.say("user" if role == "user" else "chatbot", transcript.read(content))
    elif role == "dtmf":
        transcript.say("user", f"[pressed {turn.get('digit')}]")
    elif role == "tool_call_invocation":
        transcript.call(turn.get("name"), turn.get("arguments"), turn.get("tool_call_id"))
    elif role == "tool_call_result":
        failed = turn.get("successful") is False
        transcript.result(content, turn.get("tool_call_id"), error=str(content or "failed") if failed else "")
    elif content or role is None:
        transcript.leave_out(f"turn of the role {role!r}")


def _fits(entry: LogEntry) -> bool:
    value = mapping(entry.value)
    call = mapping(value.get("call") or value.get("chat")) or value
    return any(isinstance(call.get(name), list) for name in _TURNS)


FORMAT = LogFormat(_fits, each(_parsed))
