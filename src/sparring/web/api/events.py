"""Server-Sent Events of a batch. A client that reconnects continues after its last event."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse

from sparring.app.background import Subscription
from sparring.app.computed import complete
from sparring.app.results import batch_status, verdicts_on
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
from sparring.reports import service_results
from sparring.store.store import Store
from sparring.web.api.batches import CurrentListener, EventListener, Service, StoredBatch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import error_responses

router = APIRouter(prefix="/api/batches", tags=["batches"])

HEARTBEAT = 15
"""Seconds without events after which a comment line keeps the connection alive."""

_NUMBER = "^[0-9]{1,18}$"
_TEXT = {"type": "string"}
_EVENT = {"type": "object", "required": ["event", "data"], "properties": {"id": _TEXT, "event": _TEXT, "data": _TEXT}}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "events", "content": {"text/event-stream": {"schema": _EVENT}}}
}


class BatchEvent(Value):
    """A batch starts or resumes."""

    batch_id: str
    total_scenarios: int
    stored: int


class TypingEvent(Value):
    """A conversation starts."""

    conversation_id: str


class MessageEvent(Value):
    """A message, sent live. It has no id; finished conversations include all messages."""

    conversation_id: str
    speaker: str
    content: str


@router.get("/{id}/events", response_class=Response, responses={**error_responses(404, 429), **_STREAM})
async def events(
    service: Service,
    batch: StoredBatch,
    who: CurrentListener,
    after: Annotated[str, Query(pattern=_NUMBER, description="Number of the last event received.")] = "0",
    last_event_id: Annotated[
        str | None, Header(pattern=_NUMBER, description="The same; browsers send it when they reconnect.")
    ] = None,
) -> Response:
    """Stream past and live events of a batch as Server-Sent Events, and `done` at the end.

    Every event except messages has a number as its id; `Last-Event-ID` continues after it.
    """
    service.listener_limit.check(who.caller.id)
    number = int(last_event_id if last_event_id is not None else after)
    return StreamingResponse(
        _stream(service, batch, number, who),
        media_type="text/event-stream",
        headers={"x-accel-buffering": "no"},
    )


async def _stream(service: AppState, batch: Batch, after: int, who: EventListener) -> AsyncIterator[bytes]:
    with service.listener_limit.acquire(who.caller.id):
        with service.background.listening(batch.id) as subscription:
            async for text in _batch_events(service, batch, after, subscription, who):
                yield text
        if not service.closing.is_set() and who.may_listen():
            yield _event("done", await batch_status(service.store, batch))


async def _batch_events(
    service: AppState, batch: Batch, after: int, subscription: Subscription, who: EventListener
) -> AsyncIterator[bytes]:
    """Yield logged events, then live ones, until the batch ends or the caller loses access."""
    await complete(batch, service.store)
    while who.may_listen():
        playing = service.background.plays(batch.id)  # checked before reading the log, so that no event is missed
        async for number, event in service.store.events(batch.id, after=after):
            if not who.may_listen():  # a slow reader of a long log must not outlive its access
                return
            after = number
            yield await _logged_event(number, event, service.store, batch)
        if not playing or service.closing.is_set():
            return
        said = await _next_messages(service, subscription)
        if said is None:
            yield b": alive\n\n"
        if not who.may_listen():
            return
        for each in said or ():
            yield _event("message", _message_event(each))


async def _next_messages(service: AppState, subscription: Subscription) -> list[MessageSaid] | None:
    """Collect messages until an event is logged; None after `HEARTBEAT` seconds without either."""
    words = list[MessageSaid]()
    closing = asyncio.create_task(service.closing.wait())
    try:
        while True:
            next_event = asyncio.create_task(subscription.get())
            await asyncio.wait({next_event, closing}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
            if not next_event.done():
                next_event.cancel()
                with suppress(asyncio.CancelledError):
                    await next_event
                return words if closing.done() else None
            message = next_event.result()
            if message is not None:
                words.append(message)
            if subscription.empty():
                return words
    finally:
        closing.cancel()


async def _logged_event(number: int, event: Event, store: Store, batch: Batch) -> bytes:
    match event:
        case BatchStarted():
            planned = (await store.progress(batch.id)).planned
            begun = BatchEvent(batch_id=batch.id, total_scenarios=planned, stored=event.stored)
            return _event(event.event, begun, number)
        case ConversationStarted():
            return _event(event.event, TypingEvent(conversation_id=event.conversation), number)
        case ConversationEnded(conversation=conversation):
            (found,) = await verdicts_on(batch, store, [conversation])
            reported = found.reported(conversation)
            result = service_results.scenario_result(await store.position(batch.id, conversation.id), reported)
            return _event(event.event, result, number)
        case MessageSaid():
            return _event("message", _message_event(event), number)
        case BatchFinished() | CallRetried() | ModelPaused():
            return _event(event.event, event, number)
        case VerdictGiven():
            return _event(event.event, event.verdict, number)


def _message_event(said: MessageSaid) -> MessageEvent:
    speaker = "client" if said.message.role == "user" else "agent"
    return MessageEvent(conversation_id=said.conversation, speaker=speaker, content=said.message.text)


def _event(name: str, data: Value, number: int | None = None) -> bytes:
    id = b"" if number is None else b"id: %d\n" % number
    return b"%sevent: %s\ndata: %s\n\n" % (id, name.encode(), to_json(data))
