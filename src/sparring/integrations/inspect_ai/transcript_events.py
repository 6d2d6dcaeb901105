"""The course of a conversation, as the events that Inspect's viewer draws a transcript from.

Every turn is a span with one model event, which is shown only what the user said in this turn: the whole history again
in every turn would make a log grow with the square of its turns.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from inspect_ai.dataset import Sample
from inspect_ai.event import Event, ModelEvent, SampleInitEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig, ModelOutput
from inspect_ai.scorer import Score

from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.integrations.inspect_ai.messages import call_id, error_of, id_of, result_text
from sparring.llm.model import words


def events_of(
    conversation: Conversation, sample: Sample, scores: Mapping[str, Score], *, id: str, model: str, started: datetime
) -> list[Event]:
    """What happened, in order; `id` names the conversation among all that were ever exported."""
    begin = SampleInitEvent(
        uuid=id_of(id, "init"), timestamp=started, working_start=0, sample=sample, state={}, span_id=None
    )
    return [begin, *_turns(conversation, id, model, started), *_scored(conversation, scores, id, started)]


def _turns(conversation: Conversation, id: str, model: str, started: datetime) -> Iterator[Event]:
    replies = conversation.timing.replies if conversation.timing else ()
    heard: list[ChatMessage] = []
    turn, seconds, past = 0, 0.0, len(conversation.case.history)
    for at, message in enumerate(conversation.messages):
        if message.role == "user":
            heard.append(ChatMessageUser(id=id_of(f"{id}/{at}"), content=words(message)))
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
    span, begun, done = id_of(id, "span"), _at(started, seconds), _at(started, seconds + took)
    yield SpanBeginEvent(
        uuid=id_of(id, "begin"),
        timestamp=begun,
        working_start=seconds,
        id=span,
        span_id=span,
        type="exchange",
        name=name,
    )
    for number, call in enumerate(message.tool_calls):
        yield ToolEvent(
            uuid=id_of(id, "tool", number),
            timestamp=begun,
            working_start=seconds,
            span_id=span,
            id=call_id(id, number),
            function=call.name,
            arguments=dict(call.arguments),
            result=result_text(call),
            error=error_of(call),
            completed=begun,
        )
    said = ChatMessageAssistant(id=id_of(id), content=words(message), model=model)
    yield ModelEvent(
        uuid=id_of(id, "model"),
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
    yield SpanEndEvent(uuid=id_of(id, "end"), timestamp=done, working_start=seconds + took, id=span, span_id=span)


def _scored(conversation: Conversation, scores: Mapping[str, Score], id: str, started: datetime) -> Iterator[Event]:
    seconds = conversation.timing.seconds if conversation.timing else 0.0
    for name, score in scores.items():
        yield ScoreEvent(
            uuid=id_of(id, "score", name),
            timestamp=_at(started, seconds),
            working_start=seconds,
            span_id=None,
            score=score,
            scorer=name,
        )


def _at(started: datetime, seconds: float) -> datetime:
    return started + timedelta(seconds=seconds)
