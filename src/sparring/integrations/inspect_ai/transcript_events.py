"""Events of a conversation for the transcript in Inspect's viewer.

Each turn is a span with one model event, whose input is the user's message of this turn only. Repeating the history in
each turn would make the size of a log quadratic in the number of turns.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from inspect_ai.dataset import Sample
from inspect_ai.event import Event, ModelEvent, SampleInitEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig, ModelOutput
from inspect_ai.scorer import Score

from sparring.core.conversation import Conversation
from sparring.core.message import Message
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


def _turns(conversation: Conversation, id: str, model: str, started: datetime) -> Iterator[Event]:
    replies = conversation.timing.replies if conversation.timing else ()
    heard: list[ChatMessage] = []
    turn, seconds, past = 0, 0.0, len(conversation.case.history)
    for at, message in enumerate(conversation.messages):
        if message.role == "user":
            heard.append(ChatMessageUser(id=stable_id(f"{id}/{at}"), content=words(message)))
        elif message.injected:
            yield from _turn(message, f"{id}/{at}", "injected", (), model, started, seconds, 0.0)
        elif at >= past:
            took = replies[turn] if heard and turn < len(replies) else 0.0
            name = f"turn {turn + 1}" if heard else "greeting"
            yield from _turn(message, f"{id}/{at}", name, tuple(heard), model, started, seconds, took)
            turn, seconds = turn + bool(heard), seconds + took
            heard = []


def _turn(
    message: Message,
    id: str,
    name: str,
    heard: tuple[ChatMessage, ...],
    model: str,
    started: datetime,
    seconds: float,
    took: float,
) -> Iterator[Event]:
    span, begun, done = stable_id(id, "span"), _time(started, seconds), _time(started, seconds + took)
    yield SpanBeginEvent(
        uuid=stable_id(id, "begin"),
        timestamp=begun,
        working_start=seconds,
        id=span,
        span_id=span,
        type="exchange",
        name=name,
    )
    for number, call in enumerate(message.tool_calls):
        yield ToolEvent(
            uuid=stable_id(id, "tool", number),
            timestamp=begun,
            working_start=seconds,
            span_id=span,
            id=call_id(id, number),
            function=call.name,
            arguments=dict(call.arguments),
            result=result_text(call),
            error=tool_error(call),
            completed=begun,
        )
    said = ChatMessageAssistant(id=stable_id(id), content=words(message), model=model)
    yield ModelEvent(
        uuid=stable_id(id, "model"),
        timestamp=begun,
        working_start=seconds,
        span_id=span,
        model=model,
        role="chatbot",
        input=list(heard),
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput.from_message(said),
        completed=done,
        working_time=took,
    )
    yield SpanEndEvent(uuid=stable_id(id, "end"), timestamp=done, working_start=seconds + took, id=span, span_id=span)


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
