"""Live progress of a batch, rendered as page fragments and streamed as Server-Sent Events."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from sparring.app.background import Subscription
from sparring.app.listing import Seen
from sparring.app.service_results import batch_status
from sparring.core.batch import NO_JUDGE, Batch
from sparring.core.events import MessageSaid
from sparring.core.listing import ConversationRow
from sparring.judges.judge import deterministic_judge
from sparring.reports.service_results import BatchStatus, Status
from sparring.web.api.batches import CurrentListener, EventListener, Service, StoredBatch
from sparring.web.api.dependencies import AppState
from sparring.web.api.events import HEARTBEAT
from sparring.web.rendering import render

_NEWEST = 12


@dataclass(frozen=True)
class BatchProgress:
    """Snapshot of a batch: status, results so far, recently finished conversations, and seconds left.

    `pauses` maps rate-limited models to the seconds until the next call. `judges_apart` is True if a judge calls
    models; usage of conversations does not include such calls.
    """

    status: BatchStatus
    seen: Seen
    newest: list[ConversationRow]
    playing: bool
    left: float | None
    pauses: dict[str, float]
    judges_apart: bool


async def batch_progress(service: AppState, batch: Batch, *, patience: float = 0.2) -> BatchProgress:
    """Take a snapshot of a batch. Wait at most `patience` seconds for its results."""
    now = await batch_status(service.store, batch)
    seen = await service.listings.look(batch, patience=patience)
    playing = service.background.plays(batch.id)
    newest = await service.store.newest(batch.id, limit=_NEWEST) if playing else []
    left = _seconds_left(service, now, seen) if playing else None
    pauses = service.background.limits.pauses() if playing else {}
    judge = batch.who.judge
    judging = judge not in ("", NO_JUDGE) and deterministic_judge(judge) is None
    return BatchProgress(now, seen, newest, playing, left, pauses, judging)


def _seconds_left(service: AppState, now: BatchStatus, seen: Seen) -> float | None:
    """Estimate the seconds until the end at the speed so far; None before the first conversation ended."""
    if now.status is not Status.RUNNING or now.started_at is None or not seen.progress.stored:
        return None
    took = (service.clock.now() - now.started_at).total_seconds()
    return took / seen.progress.stored * seen.progress.left


router = APIRouter(prefix="/batches", include_in_schema=False)

_INTERVAL = 0.4
"""Minimum seconds between two updates of the page."""

_MESSAGES = 4


@router.get("/{id}/live")
async def live(service: Service, batch: StoredBatch, who: CurrentListener) -> StreamingResponse:
    """Stream updates of a batch page as Server-Sent Events until the batch ends."""
    service.listener_limit.check(who.caller.id)
    return StreamingResponse(
        _page_events(service, batch, who), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


async def _page_events(service: AppState, batch: Batch, who: EventListener) -> AsyncIterator[str]:
    with service.listener_limit.acquire(who.caller.id), service.background.listening(batch.id) as heard:
        said: deque[MessageSaid] = deque(maxlen=_MESSAGES)
        while who.may_listen():
            playing = service.background.plays(batch.id)  # checked first, so that the last update is complete
            yield _event(render("running.html", run=await batch_progress(service, batch), batch=batch, said=list(said)))
            if not playing or service.closing.is_set():
                yield "event: done\ndata: done\n\n"
                return
            if not await _wait_for_change(service, heard, said):
                yield ": alive\n\n"


async def _wait_for_change(service: AppState, heard: Subscription, said: deque[MessageSaid]) -> bool:
    """Wait for news and collect more for a moment. Return False if nothing happens before the heartbeat."""
    closing, hearing = asyncio.create_task(service.closing.wait()), asyncio.create_task(heard.get())
    try:
        await asyncio.wait({hearing, closing}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
        if not hearing.done():
            return False
        _append_message(said, hearing.result())
        await asyncio.wait({closing}, timeout=_INTERVAL)
        while not heard.empty():
            _append_message(said, heard.get_nowait())
        return True
    finally:
        for task in (closing, hearing):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _append_message(said: deque[MessageSaid], told: MessageSaid | None) -> None:
    if told is not None:
        said.append(told)


def _event(html: str) -> str:
    """Format HTML as one Server-Sent Event."""
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
