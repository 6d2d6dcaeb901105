"""Events of a conversation for the transcript in Inspect's viewer.

Each turn is a span with one model event, whose input is the user's message of this turn only. Repeating the history in
each turn would make the size of a log quadratic in the number of turns.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.event import Event, ModelEvent, SampleInitEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig, ModelOutput
from inspect_ai.scorer import Score

from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall
from sparring.integrations.inspect_ai.messages import call_id, result_text, stable_id, tool_error
from sparring.llm.model import words


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
