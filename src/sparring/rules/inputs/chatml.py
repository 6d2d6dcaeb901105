"""Chat logs in the shapes of OpenAI, Anthropic and LangChain: `messages`, or a list of them.

All other fields of a line become variables.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from sparring.core.case import Goal, OutputSpec, Persona
from sparring.core.conversation import Conversation
from sparring.core.message import Role
from sparring.core.value import JsonValue, Value, mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation, first_error, unread_parts, words

ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "customer", "human", "client", "visitor"), "user"),
    **dict.fromkeys(("chatbot", "assistant", "bot", "agent", "ai", "model", "gpt", "chatgpt"), "chatbot"),
}
_SYSTEM = ("system", "developer")
_IDS = ("id", "conversation_id", "session_id", "thread_id")
_OWN = {"messages", "metadata", "variables", "tools", "goals", "outputs", "language", "fallback"}


class _PlainGoal(Value, extra="ignore"):
    text: str
    variables: tuple[str, ...] = ()


class _PlainOutput(Value, extra="ignore"):
    name: str
    type: str = "string"
    description: str = ""


class _PlainConversation(Value, extra="ignore"):
    """A chat log's keys besides its messages, as far as readers use them."""

    goals: tuple[_PlainGoal, ...] = ()
    outputs: tuple[_PlainOutput, ...] = ()
    variables: dict[str, JsonValue] = {}
    language: str | None = None
    fallback: str | None = None


def _parsed(entry: LogEntry) -> Conversation:
    fields = {"messages": entry.value} if isinstance(entry.value, list) else entry.value
    messages = fields.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise NotARecording("is not a chat log: 'messages' should be a list of messages")
    try:
        plain = _PlainConversation.model_validate(fields)
    except ValidationError as error:
        raise NotARecording(f"is not a conversation: {first_error(error)}") from None
    others = {name: value for name, value in fields.items() if name not in _OWN} | mapping(fields.get("metadata"))
    return conversation(
        id_of(fields) or entry.label,
        transcript_of(messages),
        variables={**others, **_system_prompt(messages), **plain.variables},
        tools=fields.get("tools"),
        persona=Persona(language=plain.language or "English"),
        goals=tuple(Goal(**goal.model_dump()) for goal in plain.goals),
        outputs=tuple(OutputSpec(**output.model_dump()) for output in plain.outputs),
        fallbacks=(plain.fallback,) if plain.fallback else (),
    )


def id_of(fields: Mapping[str, Any], *names: str) -> str:
    """Return the id under the first of these names that there is, by default those of chat logs."""
    return next((str(fields[name]) for name in names or _IDS if isinstance(fields.get(name), str | int)), "")


def _system_prompt(messages: list[dict[str, Any]]) -> dict[str, str]:
    first = messages[0] if messages else {}
    text = words(first.get("content")) if first.get("role") in _SYSTEM else ""
    return {"system_prompt": text} if text else {}


def transcript_of(messages: list[dict[str, Any]]) -> Transcript:
    """Return the transcript of messages, those of systems left out."""
    transcript = Transcript()
    for message in messages:
        add_message(transcript, message)
    return transcript


def add_message(transcript: Transcript, message: Mapping[str, Any]) -> None:
    """Add a message, a call or a result, whichever of the known shapes it has."""
    kind, role = message.get("type"), str(message.get("role") or message.get("type"))
    if kind in ("function_call", "mcp_call", "custom_tool_call"):  # items of Responses
        arguments = message.get("arguments", message.get("input"))
        transcript.call(message.get("name"), arguments, message.get("call_id", message.get("id")))
        if message.get("output") is not None or message.get("error"):
            transcript.result(message.get("output"), message.get("id"), error=_error(message))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        transcript.result(message.get("output"), message.get("call_id"))
    elif role in ("tool", "function"):
        failed = message.get("status") == "error" or message.get("error") is True or message.get("is_error") is True
        content = message.get("content")
        text = words(content) if isinstance(content, list) else content
        id = next((message[name] for name in ("tool_call_id", "id") if message.get(name) is not None), None)
        transcript.result(text, id, error=str(text) or "failed" if failed else "")
    elif role in ROLES:
        _add_spoken(transcript, ROLES[role], message)
    elif role != "reasoning" and (role not in _SYSTEM or transcript.has_user):
        transcript.leave_out(f"message of the role {role!r}")


def _add_spoken(transcript: Transcript, role: Role, message: Mapping[str, Any]) -> None:
    content = message.get("content", message.get("text"))
    for kind in unread_parts(content):
        transcript.leave_out(f"part of the type {kind!r}")
    blocks = mappings(content)
    results = [block for block in blocks if block.get("type") == "tool_result"]  # the user's side, in Anthropic's shape
    if role == "chatbot" or not results or words(content):
        transcript.say(role, words(content) or str(message.get("refusal") or ""))
    for block in results:
        text = block.get("content")
        result = words(text) if isinstance(text, list) else text
        transcript.result(
            result, block.get("tool_use_id"), error=str(result or "failed") if block.get("is_error") else ""
        )
    if role == "chatbot":
        for call in mappings(message.get("tool_calls")):
            function = mapping(call.get("function", call))
            transcript.call(function.get("name"), function.get("arguments", function.get("args")), call.get("id"))
        for block in blocks:
            if block.get("type") in ("tool_use", "server_tool_use"):
                transcript.call(block.get("name"), block.get("input"), block.get("id"))
        if legacy := mapping(message.get("function_call")):
            transcript.call(legacy.get("name"), legacy.get("arguments"))


def _error(item: Mapping[str, Any]) -> str:
    error = item.get("error")
    return str(mapping(error).get("message") or error) if error else ""


def is_chat(messages: object) -> bool:
    """Return True for a list of messages with roles, or of items of Responses."""
    return isinstance(messages, list) and all(
        isinstance(each, dict) and ("role" in each or str(each.get("type")) in _TYPES) for each in messages
    )


_TYPES = {"message", "function_call", "function_call_output", "reasoning", "mcp_call", "human", "ai", "tool", "system"}


def _fits(entry: LogEntry) -> bool:
    value = entry.value
    if isinstance(value, dict):
        return "messages" in value and not value.keys() & {"case", "termination_reason", "from", "value"}
    return bool(value) and is_chat(value)


FORMAT = LogFormat(_fits, each(_parsed))
