"""What was said, as Inspect's chat messages.

Names and ids that are the same however often a batch is exported.
"""

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


def id_of(*parts: object) -> str:
    """An id that follows from what it names."""
    return uuid5(_SPARRING, "/".join(map(str, parts))).hex


def task_of(batch: Batch) -> str:
    """What Inspect is to call the task: the batch's name, else the one file its cases come from, else `batch`."""
    files = {case.id.partition("/")[0] for case in batch.cases}
    return batch.name or (files.pop() if len(files) == 1 else "batch")


def model_of(role: str, who: Players) -> str:
    """The model that plays a role, as Inspect writes it (`openai/gpt-4o-mini`); who plays it where it is no model."""
    named = {
        "chatbot": who.chatbot_model or who.chatbot,
        "user": who.user.removeprefix("simulated (").removesuffix(")"),
        "reader": who.reader,
        "judge": who.judge,
    }
    return named.get(role, role).replace(":", "/", 1) or role


def chat_lines(messages: Iterable[Message], id: str, model: str) -> list[ChatMessage]:
    """All messages of the conversation with this id; tools and what came back stand before the words they led to."""
    return [line for at, each in enumerate(messages) for line in lines_of(each, f"{id}/{at}", model)]


def lines_of(message: Message, id: str, model: str) -> Iterator[ChatMessage]:
    """One message, as a line or several."""
    if message.role == "user":
        yield ChatMessageUser(id=id_of(id), content=words(message))
        return
    metadata = {"injected": True} if message.injected else None
    calls = [(call_id(id, number), call) for number, call in enumerate(message.tool_calls)]
    if calls:
        asked = [InspectToolCall(id=each, function=call.name, arguments=dict(call.arguments)) for each, call in calls]
        yield ChatMessageAssistant(id=id_of(id, "tools"), content="", tool_calls=asked, model=model, metadata=metadata)
    for each, call in calls:
        yield ChatMessageTool(
            id=id_of(each), content=result_text(call), tool_call_id=each, function=call.name, error=error_of(call)
        )
    if message.parts or not calls:
        yield ChatMessageAssistant(id=id_of(id), content=words(message), model=model, metadata=metadata)


def call_id(message: str, number: int) -> str:
    """The id of the n-th tool call of the message with this id."""
    return f"call_{id_of(message, 'call', number)[:16]}"


def result_text(call: ToolCall) -> str:
    """What came back, as the text a model would be shown."""
    return "" if call.error else _text(call.result)


def error_of(call: ToolCall) -> ToolCallError | None:
    """Why nothing came back."""
    return ToolCallError("unknown", call.error) if call.error else None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
