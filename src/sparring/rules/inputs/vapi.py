"""Calls of Vapi: reports of their ends (`end-of-call-report`), or the calls of its API."""

from collections.abc import Mapping
from typing import Any

from sparring.core.conversation import Conversation, Ending
from sparring.core.value import mapping, mappings
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation, parsed

_REPORT = "end-of-call-report"


def _parsed(entry: LogEntry) -> Conversation:
    report = mapping(entry.value.get("message")) or entry.value
    call = mapping(report.get("call")) or report
    transcript, system = Transcript(), ""
    for message in transcript.items(mapping(report.get("artifact")).get("messages"), "message"):
        role, text = str(message.get("role")).replace("-", "_"), transcript.read(message.get("message"))
        if role in ("user", "bot", "assistant"):
            transcript.say("user" if role == "user" else "chatbot", text)
        elif role == "system":
            system = system or text
        elif (text or role == "None") and not message.get("toolCalls") and role != "tool_call_result":
            transcript.leave_out(f"message of the role {role!r}")
        _add_calls(transcript, message, role)
    assistant = mapping(report.get("assistant") or call.get("assistant")).get("name") or call.get("assistantId")
    reason = str(report.get("endedReason") or "")
    known = {"assistant": assistant, "system_prompt": system, "ended_reason": reason}
    return conversation(
        str(call.get("id") or entry.label),
        transcript,
        variables={name: value for name, value in known.items() if value},
        ending=_ending(reason),
        error=reason if "error" in reason else "",
    )


def _add_calls(transcript: Transcript, message: Mapping[str, Any], role: str) -> None:
    for call in mappings(message.get("toolCalls")):
        function = mapping(call.get("function"))
        transcript.call(function.get("name"), function.get("arguments"), call.get("id"))
    if role == "tool_call_result":
        error = message.get("error")
        transcript.result(parsed(message.get("result")), message.get("toolCallId"), error=str(error or ""))


def _ending(reason: str) -> Ending:
    """Return how a call ended. Reasons are many, such as `pipeline-error-openai-llm-failed`."""
    if reason in ("assistant-ended-call", "assistant-said-end-call-phrase", "assistant-forwarded-call"):
        return Ending.CHATBOT_DONE
    if reason in ("exceeded-max-duration", "silence-timed-out"):
        return Ending.TIMEOUT
    return Ending.CHATBOT_FAILED if "error" in reason else Ending.USER_DONE


def _fits(entry: LogEntry) -> bool:
    value = mapping(entry.value)
    report = mapping(value.get("message"))
    return report.get("type") == _REPORT or isinstance(mapping(value.get("artifact")).get("messages"), list)


FORMAT = LogFormat(_fits, each(_parsed))
