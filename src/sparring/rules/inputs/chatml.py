"""Chat logs in the shapes of OpenAI, Anthropic and LangChain: `messages`, or a list of them.

All other fields of a line become variables.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any

from pydantic import ValidationError

from sparring.core.case import Goal, OutputSpec, Persona
from sparring.core.conversation import Conversation
from sparring.core.errors import Problem
from sparring.core.message import Role
from sparring.core.value import JsonValue, Value, mapping, mappings
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import Transcript, conversation, first_error

ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "customer", "human", "client", "visitor"), "user"),
    **dict.fromkeys(("chatbot", "assistant", "bot", "agent", "ai", "model", "gpt", "chatgpt"), "chatbot"),
}
_SYSTEM = ("system", "developer")
_IDS = ("id", "conversation_id", "session_id", "thread_id")
_LISTS = ("messages", "conversation")
_ARGUMENTS = ("arguments", "args", "input", "action")
_OWN = {*_LISTS, "metadata", "variables", "tools", "goals", "outputs", "language", "fallback"}


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


_PLAIN, _ENGLISH = _PlainConversation(), Persona(language="English")


def _read(entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
    """Yield the conversations. Messages that are the entries of a file are one."""
    for file, some in groupby(entries, lambda entry: entry.file if _is_message(entry) else None):
        if file is None:
            yield from each(_parsed)(some)
        else:
            first, *rest = some
            yield from each(_parsed)([replace(first, value=[first.value, *(one.value for one in rest)], place="")])


def _parsed(entry: LogEntry) -> Conversation:
    fields = {"messages": entry.value} if isinstance(entry.value, list) else entry.value
    messages = next((fields[name] for name in _LISTS if name in fields), None)
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise NotARecording("is not a chat log: 'messages' should be a list of messages")
    try:
        known = fields.keys() & _PlainConversation.model_fields.keys()
        plain = _PlainConversation.model_validate(fields) if known else _PLAIN
    except ValidationError as error:
        raise NotARecording(f"is not a conversation: {first_error(error)}") from None
    others = {name: value for name, value in fields.items() if name not in _OWN} | mapping(fields.get("metadata"))
    transcript = transcript_of(messages)
    return conversation(
        id_of(fields) or entry.label,
        transcript,
        variables={**others, **system_prompt(messages, transcript), **plain.variables},
        tools=fields.get("tools"),
        persona=Persona(language=plain.language) if plain.language else _ENGLISH,
        goals=tuple(Goal(**goal.model_dump()) for goal in plain.goals),
        outputs=tuple(OutputSpec(**output.model_dump()) for output in plain.outputs),
        fallbacks=(plain.fallback,) if plain.fallback else (),
    )


def id_of(fields: Mapping[str, Any], *names: str) -> str:
    """Return the id under the first of these names that there is, by default those of chat logs."""
    return next((str(fields[name]) for name in names or _IDS if isinstance(fields.get(name), str | int)), "")


def system_prompt(messages: list[dict[str, Any]], transcript: Transcript) -> dict[str, str]:
    """Return the variable with what systems say before anyone else, and note parts that are no words."""
    first = takewhile(lambda each: str(each.get("role") or each.get("type")) in _SYSTEM, messages)
    text = "\n".join(filter(None, (transcript.read(each.get("content")) for each in first)))
    return {"system_prompt": text} if text else {}


def transcript_of(messages: list[dict[str, Any]]) -> Transcript:
    """Return the transcript of messages, those of systems left out."""
    transcript = Transcript()
    for message in messages:
        add_message(transcript, message)
    return transcript


def add_message(transcript: Transcript, message: Mapping[str, Any]) -> None:
    """Add a message, a call or a result, whichever of the known shapes it has."""
    kind, role, content = message.get("type"), message.get("role"), message.get("content")
    if len(message) == 2 and isinstance(role, str) and role in ROLES and isinstance(content, str):  # most are so
        transcript.say(ROLES[role], content)
        return
    role = str(role or kind)
    if isinstance(kind, str) and kind.endswith("_call"):  # items of Responses
        transcript.call(message.get("name") or kind, _arguments(message), message.get("call_id", message.get("id")))
        if message.get("output") is not None or message.get("error"):
            transcript.result(message.get("output"), message.get("id"), error=_error(message))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        transcript.result(message.get("output"), message.get("call_id"))
    elif role in ("tool", "function"):
        failed = message.get("status") == "error" or message.get("error") is True or message.get("is_error") is True
        text = transcript.read_result(content)
        id = next((message[name] for name in ("tool_call_id", "id") if message.get(name) is not None), None)
        transcript.result(text, id, error=str(text) or "failed" if failed else "")
    elif role in ROLES:
        _add_spoken(transcript, ROLES[role], message)
    elif role != "reasoning" and (role not in _SYSTEM or transcript.has_begun):
        transcript.leave_out(f"message of the role {role!r}")


def _add_spoken(transcript: Transcript, role: Role, message: Mapping[str, Any]) -> None:
    content = message.get("content", message.get("text"))
    text = transcript.read(content)
    blocks = mappings(content)
    results = [block for block in blocks if block.get("type") == "tool_result"]  # the user's side, in Anthropic's shape
    if role == "chatbot" or not results or text:
        others = (message.get("refusal"), mapping(message.get("audio")).get("transcript"))
        transcript.say(role, text or next((each for each in others if isinstance(each, str)), ""))
    for block in results:
        result = transcript.read_result(block.get("content"))
        transcript.result(
            result, block.get("tool_use_id"), error=str(result or "failed") if block.get("is_error") else ""
        )
    if role == "chatbot":
        for call in transcript.items(message.get("tool_calls"), "tool call"):
            function = mapping(call.get("function") or call.get("custom") or call)
            transcript.call(function.get("name"), _arguments(function), call.get("id"))
        for block in blocks:
            if block.get("type") in ("tool_use", "server_tool_use"):
                transcript.call(block.get("name"), block.get("input"), block.get("id"))
        if legacy := mapping(message.get("function_call")):
            transcript.call(legacy.get("name"), legacy.get("arguments"))


def _arguments(call: Mapping[str, Any]) -> Any:
    """Return the arguments of a call; the text that a custom tool gets is its `input`."""
    name = next((name for name in _ARGUMENTS if call.get(name) is not None), "")
    given = call.get(name)
    return {"input": given} if name == "input" and isinstance(given, str) else given


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
        others = value.keys() & {"case", "termination_reason", "from", "value"} or entry.under == "simulations"
        return (("messages" in value or is_chat(value.get("conversation") or None)) and not others) or _is_message(
            entry
        )
    return bool(value) and is_chat(value)


def _is_message(entry: LogEntry) -> bool:
    """Return True for an element of a list that is a message, and not a row."""
    value = entry.value
    if not isinstance(value, dict) or entry.line or not entry.place or entry.under or "text" in value:
        return False
    return is_chat([value]) and bool(value.keys() & {"content", "tool_calls", "function_call", "call_id", "summary"})


FORMAT = LogFormat(_fits, _read)
