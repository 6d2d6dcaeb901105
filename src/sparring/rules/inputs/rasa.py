"""Trackers of Rasa: an object with `sender_id` and `events`, or a row of its tracker store."""

from collections.abc import Mapping
from typing import Any

from sparring.core.conversation import Conversation
from sparring.core.value import mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import NO_RESULT, Transcript, conversation, parsed

_LISTENING = ("action_listen", "action_session_start", "action_default_fallback")


def _parsed(entry: LogEntry) -> Conversation:
    events = parsed(entry.value["events"])
    if not isinstance(events, list):
        raise NotARecording("is no tracker of Rasa: 'events' should be a list")
    transcript = Transcript()
    for event in mappings(events):
        _add(transcript, event)
    slots = {name: value for name, value in mapping(entry.value.get("slots")).items() if value is not None}
    id = str(entry.value.get("sender_id") or entry.label)
    return conversation(id, transcript, variables=slots)


def _add(transcript: Transcript, event: Mapping[str, Any]) -> None:
    """Add what was said, and custom actions as tools, which Rasa runs without results."""
    kind, name = event.get("event"), str(event.get("name") or "")
    if kind == "user":
        transcript.say("user", str(event.get("text") or ""))
    elif kind == "bot":
        data = mapping(event.get("data"))
        titles = [f"[{button.get('title')}]" for button in mappings(data.get("buttons"))]
        shown = [str(event.get("text") or ""), *titles, *([str(data["image"])] if data.get("image") else [])]
        transcript.say("chatbot", "\n".join(filter(None, shown)))
    elif kind == "action" and name.startswith("action_") and name not in _LISTENING:
        transcript.call(name, {}, result=NO_RESULT)
    elif kind == "action" and name.startswith("utter_"):
        transcript.say("chatbot", str(event.get("action_text") or ""))
    elif kind == "action_execution_rejected":
        transcript.call(name, {}, error="the action rejected its execution")


FORMAT = LogFormat(lambda entry: {"sender_id", "events"} <= mapping(entry.value).keys(), each(_parsed))
