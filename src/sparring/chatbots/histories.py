"""A conversation in the formats of requests to other systems."""

import json
from collections.abc import Iterable, Iterator

from sparring.chatbots.approvals import WaitingCall, decision
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json

_ROLES = {"user": "user", "chatbot": "assistant"}


def chat_messages(said: Iterable[Message]) -> list[Json]:
    """Return the texts of a conversation."""
    return [{"role": _ROLES[each.role], "content": each.text} for each in said]


def openai_messages(said: Iterable[Message]) -> list[Json]:
    """Return a conversation as OpenAI has it, with tool calls and results before the text that follows."""
    return [item for at, each in enumerate(said) for item in _openai(at, each)]


def _openai(at: int, said: Message) -> Iterator[Json]:
    calls: list[Json] = [
        {"id": id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for id, call in _named(at, said)
    ]
    if calls:
        yield {"role": "assistant", "content": None, "tool_calls": calls}
    for id, call in _named(at, said):
        yield {"role": "tool", "tool_call_id": id, "content": _outcome(call)}
    if said.text or not calls:
        yield {"role": _ROLES[said.role], "content": said.text}


def ui_messages(said: Iterable[Message]) -> list[Json]:
    """Return a conversation as messages of the AI SDK."""
    return [
        {"id": f"message-{at}", "role": _ROLES[each.role], "parts": [*_tool_parts(at, each), *_text_parts(each)]}
        for at, each in enumerate(said)
    ]


def ui_answers(said: Iterable[Message], waiting: Iterable[WaitingCall], words: str) -> list[Json]:
    """Return a conversation as messages of the AI SDK, and the user's answer to waiting calls.

    Words that are neither yes nor no refuse it, and are the reason.
    """
    approved = decision(words) is True
    answer: dict[str, Json] = {"approved": approved} | ({} if approved else {"reason": words})
    parts: list[Json] = [
        {"type": "dynamic-tool", "toolName": each.name, "toolCallId": each.id, "input": each.arguments}
        | {"state": "approval-responded", "approval": {"id": each.approval, **answer}}
        for each in waiting
    ]
    return [*ui_messages(said), {"id": "answer", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}]


def _text_parts(said: Message) -> Iterator[Json]:
    if said.text:
        yield {"type": "text", "text": said.text}


def _tool_parts(at: int, said: Message) -> Iterator[Json]:
    for id, call in _named(at, said):
        outcome: dict[str, Json] = (
            {"state": "output-error", "errorText": call.error}
            if call.error
            else {"state": "output-available", "output": call.result}
        )
        yield {"type": "step-start"}
        yield {"type": "dynamic-tool", "toolName": call.name, "toolCallId": id, "input": call.arguments, **outcome}
    if said.role == "chatbot":
        yield {"type": "step-start"}


def _named(at: int, said: Message) -> Iterator[tuple[str, ToolCall]]:
    """Yield the tool calls with an outcome, and ids for them."""
    finished = (call for call in said.tool_calls if call.status != "attempted")
    return ((f"call-{at}-{number}", call) for number, call in enumerate(finished))


def _outcome(call: ToolCall) -> str:
    return call.error or (call.result if isinstance(call.result, str) else json.dumps(call.result))
