"""Messages as Inspect chat messages, with names and ids that stay the same in every export of a batch."""

import json
from collections.abc import Iterable, Iterator
from uuid import UUID, uuid5

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolCall as InspectToolCall
from inspect_ai.tool import ToolCallError

from sparring.core.batch import Batch, Players
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json
from sparring.llm.model import words

_SPARRING = UUID("b3f6a1de-6a51-5f0e-9c52-3a1f3a0f2b77")


def stable_id(*parts: object) -> str:
    """Return an id derived from `parts`."""
    return uuid5(_SPARRING, "/".join(map(str, parts))).hex


def task_name(batch: Batch) -> str:
    """Return the task name: the name of the batch, else its only scenario file, else `batch`."""
    files = {case.id.partition("/")[0] for case in batch.cases}
    return batch.name or (files.pop() if len(files) == 1 else "batch")


def model_name(role: str, who: Players) -> str:
    """Return the model of a role as `openai/gpt-4o-mini`, or its player if it is not a model."""
    named = {
        "chatbot": who.chatbot_model or who.chatbot,
        "user": who.user.removeprefix("simulated (").removesuffix(")"),
        "reader": who.reader,
        "judge": who.judge,
    }
    return named.get(role, role).replace(":", "/", 1) or role


def chat_messages(messages: Iterable[Message], id: str, model: str) -> list[ChatMessage]:
    """Return all messages of a conversation. Tool calls and results precede the text of their message."""
    return [line for at, each in enumerate(messages) for line in to_messages(each, f"{id}/{at}", model)]


def to_messages(message: Message, id: str, model: str) -> Iterator[ChatMessage]:
    """Yield one message as one or more chat messages."""
    if message.role == "user":
        yield ChatMessageUser(id=stable_id(id), content=words(message))
        return
    metadata = {"injected": True} if message.injected else None
    calls = [(call_id(id, number), call) for number, call in enumerate(message.tool_calls)]
    if calls:
        asked = [InspectToolCall(id=each, function=call.name, arguments=dict(call.arguments)) for each, call in calls]
        yield ChatMessageAssistant(
            id=stable_id(id, "tools"), content="", tool_calls=asked, model=model, metadata=metadata
        )
    for each, call in calls:
        yield ChatMessageTool(
            id=stable_id(each), content=result_text(call), tool_call_id=each, function=call.name, error=tool_error(call)
        )
    if message.parts or not calls:
        yield ChatMessageAssistant(id=stable_id(id), content=words(message), model=model, metadata=metadata)


def call_id(message: str, number: int) -> str:
    """Return the id of a tool call, by its message and position."""
    return f"call_{stable_id(message, 'call', number)[:16]}"


def result_text(call: ToolCall) -> str:
    """Return the result of a tool call as text for a model."""
    return "" if call.error else _text(call.result)


def tool_error(call: ToolCall) -> ToolCallError | None:
    """Return the error of a tool call, or None."""
    return ToolCallError("unknown", call.error) if call.error else None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
