"""What happens in a batch, as Server-Sent Events: a listener that was cut off goes on where it stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse

from sparring.app.background import Subscription
from sparring.app.service_results import result, status
from sparring.core.batch import Batch
from sparring.core.events import (
    BatchFinished,
    BatchStarted,
    CallRetried,
    ConversationEnded,
    ConversationStarted,
    Event,
    MessageSaid,
    ModelPaused,
    VerdictGiven,
)
from sparring.core.value import Value, to_json
from sparring.web.api.batches import Found, Listener, Listening, Service
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import refusals

router = APIRouter(prefix="/api/batches", tags=["batches"])

HEARTBEAT = 15
"""Seconds without anything to tell, after which a line says that the connection is alive."""

_NUMBER = "^[0-9]{1,18}$"
_TEXT = {"type": "string"}
_EVENT = {"type": "object", "required": ["event", "data"], "properties": {"id": _TEXT, "event": _TEXT, "data": _TEXT}}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "events", "content": {"text/event-stream": {"schema": _EVENT}}}
}


class BatchEvent(Value):
    """A batch begins, or goes on."""

    batch_id: str
    total_scenarios: int
    stored: int


class TypingEvent(Value):
    """A conversation begins."""

    conversation_id: str


class MessageEvent(Value):
    """Words, as they are said. They have no number: who misses them finds them in the conversation that has ended."""

    conversation_id: str
    speaker: str
    content: str


@router.get("/{id}/events", response_class=Response, responses={**refusals(404, 429), **_STREAM})
async def events(
    service: Service,
    batch: Found,
    who: Listening,
    after: Annotated[str, Query(pattern=_NUMBER, description="The number of the last event that was heard.")] = "0",
    last_event_id: Annotated[str | None, Header(pattern=_NUMBER, description="The same, as browsers send it.")] = None,
) -> Response:
    """What happens in a batch, as Server-Sent Events: what has happened before, then what happens, and `done` at the
    end. Every event but words has a number as its id, and `Last-Event-ID` goes on after it.
    """
    service.seats.check(who.caller.id)
    number = int(last_event_id if last_event_id is not None else after)
    return StreamingResponse(
        _stream(service, batch, number, who),
        media_type="text/event-stream",
        headers={"x-accel-buffering": "no"},
    )


async def _stream(service: AppState, batch: Batch, after: int, who: Listener) -> AsyncIterator[bytes]:
    with service.seats.sitting(who.caller.id):
        with service.background.listening(batch.id) as heard:
            async for text in _told(service, batch, after, heard, who):
                yield text
        if not service.closing.is_set() and who.welcome():
            yield _event("done", await status(service.store, batch))


async def _told(
    service: AppState, batch: Batch, after: int, heard: Subscription, who: Listener
) -> AsyncIterator[bytes]:
    """Everything in the log, and then whatever is heard, until the batch is at its end, or `who` may not listen."""
    whole = await service.store.batch(batch.id)
    places = {case.id: index for index, case in enumerate(whole.cases)}
    while who.welcome():
        playing = service.background.plays(batch.id)  # asked first, so that nothing is missed at the end
        async for number, event in service.store.events(batch.id, after=after):
            if not who.welcome():  # there may be much to tell, and whoever reads it slowly would hear all of it
                return
            after = number
            yield await _logged(number, event, service, whole, places)
        if not playing or service.closing.is_set():
            return
        said = await _heard(service, heard)
        if said is None:
            yield b": alive\n\n"
        if not who.welcome():
            return
        for each in said or ():
            yield _event("message", _said(each))


async def _heard(service: AppState, heard: Subscription) -> list[MessageSaid] | None:
    """The words that were heard until there was something in the log; None if nothing happened for a while."""
    words = list[MessageSaid]()
    closing = asyncio.create_task(service.closing.wait())
    try:
        while True:
            hearing = asyncio.create_task(heard.get())
            await asyncio.wait({hearing, closing}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
            if not hearing.done():
                hearing.cancel()
                with suppress(asyncio.CancelledError):
                    await hearing
                return words if closing.done() else None
            told = hearing.result()
            if told is not None:
                words.append(told)
            if heard.empty():
                return words
    finally:
        closing.cancel()


async def _logged(number: int, event: Event, service: AppState, batch: Batch, places: dict[str, int]) -> bytes:
    match event:
        case BatchStarted():
            begun = BatchEvent(batch_id=batch.id, total_scenarios=batch.planned, stored=event.stored)
            return _event(event.event, begun, number)
        case ConversationStarted():
            return _event(event.event, TypingEvent(conversation_id=event.conversation), number)
        case ConversationEnded(conversation=conversation):
            said = [each async for each in service.store.verdicts(batch.id, conversation=conversation.id)]
            return _event(event.event, await result(batch, places[conversation.case.id], conversation, said), number)
        case MessageSaid():
            return _event("message", _said(event), number)
        case BatchFinished() | CallRetried() | ModelPaused():
            return _event(event.event, event, number)
        case VerdictGiven():
            return _event(event.event, event.verdict, number)


def _said(said: MessageSaid) -> MessageEvent:
    speaker = "client" if said.message.role == "user" else "agent"
    return MessageEvent(conversation_id=said.conversation, speaker=speaker, content=said.message.text)


def _event(name: str, data: Value, number: int | None = None) -> bytes:
    id = b"" if number is None else b"id: %d\n" % number
    return b"%sevent: %s\ndata: %s\n\n" % (id, name.encode(), to_json(data))
