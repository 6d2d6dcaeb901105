"""Messages and conversations as Inspect chat messages and events.

Names and ids stay the same in every export of a batch.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from inspect_ai.dataset import Sample
from inspect_ai.event import Event, ModelEvent, SampleInitEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall as InspectToolCall
from inspect_ai.tool import ToolCallError

from sparring.core.batch import Batch, Players
from sparring.core.conversation import Conversation
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


def to_events(
    conversation: Conversation, sample: Sample, scores: Mapping[str, Score], *, id: str, model: str, started: datetime
) -> list[Event]:
    """Return the events of a conversation in order. `id` identifies it among all exported conversations."""
    begin = SampleInitEvent(
        uuid=stable_id(id, "init"), timestamp=started, working_start=0, sample=sample, state={}, span_id=None
    )
    return [begin, *_turns(conversation, id, model, started), *_scored(conversation, scores, id, started)]


@dataclass(frozen=True)
class _Turn:
    """A reply of the chatbot with the user messages before it; times are in seconds from `started`."""

    message: Message
    id: str
    name: str
    user_messages: tuple[ChatMessage, ...]
    model: str
    started: datetime
    begin: float
    duration: float

    @property
    def span(self) -> str:
        return stable_id(self.id, "span")

    @property
    def time(self) -> datetime:
        return _time(self.started, self.begin)

    def about(self, *names: object) -> dict[str, Any]:
        """Return the fields of an event at the start of the turn that these names identify."""
        id = stable_id(self.id, *names)
        return {"uuid": id, "timestamp": self.time, "working_start": self.begin, "span_id": self.span}


def _turns(conversation: Conversation, id: str, model: str, started: datetime) -> Iterator[Event]:
    replies = conversation.timing.replies if conversation.timing else ()
    waiting: list[ChatMessage] = []
    turn, begin, past = 0, 0.0, len(conversation.case.history)
    for at, message in enumerate(conversation.messages):
        if message.role == "user":
            waiting.append(ChatMessageUser(id=stable_id(f"{id}/{at}"), content=words(message)))
        elif message.injected:
            yield from _turn_events(_Turn(message, f"{id}/{at}", "injected", (), model, started, begin, 0.0))
        elif at >= past:
            duration = replies[turn] if waiting and turn < len(replies) else 0.0
            name = f"turn {turn + 1}" if waiting else "greeting"
            yield from _turn_events(_Turn(message, f"{id}/{at}", name, tuple(waiting), model, started, begin, duration))
            turn, begin = turn + bool(waiting), begin + duration
            waiting = []


def _turn_events(turn: _Turn) -> Iterator[Event]:
    end = turn.begin + turn.duration
    yield SpanBeginEvent(**turn.about("begin"), id=turn.span, type="exchange", name=turn.name)
    for number, call in enumerate(turn.message.tool_calls):
        yield _tool_event(turn, number, call)
    yield _model_event(turn)
    at = {"timestamp": _time(turn.started, end), "working_start": end}
    yield SpanEndEvent(**turn.about("end") | at, id=turn.span)


def _tool_event(turn: _Turn, number: int, call: ToolCall) -> ToolEvent:
    return ToolEvent(
        **turn.about("tool", number),
        id=call_id(turn.id, number),
        function=call.name,
        arguments=dict(call.arguments),
        result=result_text(call),
        error=tool_error(call),
        completed=turn.time,
    )


def _model_event(turn: _Turn) -> ModelEvent:
    reply = ChatMessageAssistant(id=stable_id(turn.id), content=words(turn.message), model=turn.model)
    return ModelEvent(
        **turn.about("model"),
        model=turn.model,
        role="chatbot",
        input=list(turn.user_messages),
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput.from_message(reply),
        completed=_time(turn.started, turn.begin + turn.duration),
        working_time=turn.duration,
    )


def _scored(conversation: Conversation, scores: Mapping[str, Score], id: str, started: datetime) -> Iterator[Event]:
    seconds = conversation.timing.seconds if conversation.timing else 0.0
    for name, score in scores.items():
        yield ScoreEvent(
            uuid=stable_id(id, "score", name),
            timestamp=_time(started, seconds),
            working_start=seconds,
            span_id=None,
            score=score,
            scorer=name,
        )


def _time(started: datetime, seconds: float) -> datetime:
    return started + timedelta(seconds=seconds)
