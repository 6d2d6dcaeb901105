"""Trackers of Rasa: an object with `sender_id` and `events`, or a row of its tracker store."""

from collections.abc import Mapping
from typing import Any

from sparring.core.conversation import Conversation
from sparring.core.value import mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import NO_RESULT, Transcript, conversation, parsed

_OWN = frozenset(
    f"action_{name}"
    for name in (
        "listen restart session_start default_fallback deactivate_loop revert_fallback_events back unlikely_intent "
        "default_ask_affirmation default_ask_rephrase two_stage_fallback extract_slots validate_slot_mappings "
        "run_slot_rejections clean_stack cancel_flow correct_flow_slot clarify_flows trigger_search trigger_chitchat "
        "send_text repeat_bot_messages hangup"
    ).split()
)
"""Actions of Rasa itself."""
_BOOKKEEPING = ("action", "slot", "followup", "session_started")


def _parsed(entry: LogEntry) -> Conversation:
    events = parsed(entry.value["events"])
    if not isinstance(events, list):
        raise NotARecording("is no tracker of Rasa: 'events' should be a list")
    transcript = Transcript()
    for event in transcript.items(events, "event"):
        _add(transcript, event)
    slots = {name: value for name, value in mapping(entry.value.get("slots")).items() if value is not None}
    id = str(entry.value.get("sender_id") or entry.label)
    return conversation(id, transcript, variables=slots)


def _add(transcript: Transcript, event: Mapping[str, Any]) -> None:
    """Add what was said, and custom actions as tools, which Rasa runs without results."""
    kind, name = event.get("event"), str(event.get("name") or "")
    if kind == "user":
        transcript.say("user", transcript.read(event.get("text") or mapping(event.get("parse_data")).get("text")))
    elif kind == "bot":
        data = mapping(event.get("data"))
        titles = [f"[{button.get('title')}]" for button in mappings(data.get("buttons"))]
        shown = [transcript.read(event.get("text")), *titles, *([str(data["image"])] if data.get("image") else [])]
        transcript.say("chatbot", "\n".join(filter(None, shown)))
        for part in ("elements", "quick_replies", "attachment", "custom"):
            if data.get(part):
                transcript.leave_out(f"{part!r} of a message")
    elif kind == "action" and name.startswith("action_") and name not in _OWN:
        transcript.call(name, {}, result=NO_RESULT)
    elif kind == "action" and name.startswith("utter_"):
        transcript.say("chatbot", str(event.get("action_text") or ""))
    elif kind == "action_execution_rejected":
        transcript.call(name, {}, error="the action rejected its execution")
    elif not isinstance(kind, str) or (kind not in _BOOKKEEPING and event.get("text")):
        transcript.leave_out(f"event {kind!r}")


FORMAT = LogFormat(lambda entry: {"sender_id", "events"} <= mapping(entry.value).keys(), each(_parsed))
