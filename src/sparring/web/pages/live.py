"""How far a batch is and how fast it goes, for its page.

A batch as it runs, in parts of a page: how far it is, what ended last, and what is being said.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from sparring.app.background import Subscription
from sparring.app.listing import Seen
from sparring.app.service_results import status
from sparring.core.batch import Batch
from sparring.core.events import MessageSaid
from sparring.core.listing import ConversationRow
from sparring.judges.exact import EXACT
from sparring.reports.service_results import BatchStatus, Status
from sparring.runner.judge_worker import NOBODY
from sparring.web.api.batches import Found, Listener, Listening, Service
from sparring.web.api.dependencies import AppState
from sparring.web.api.events import HEARTBEAT
from sparring.web.rendering import render

_NEWEST = 12


@dataclass(frozen=True)
class Running:
    """A batch at a moment: its status, what came out so far, what ended last, the seconds that are left, and the models
    that are asked nothing for so many seconds, as their providers wish. `judges_apart` says whether judges call models,
    which is in no figure of the conversations."""

    status: BatchStatus
    seen: Seen
    newest: list[ConversationRow]
    playing: bool
    left: float | None
    pauses: dict[str, float]
    judges_apart: bool


async def running(service: AppState, batch: Batch, *, patience: float = 0.2) -> Running:
    """How far a batch is now."""
    now = await status(service.store, batch)
    seen = await service.looking.look(batch, patience=patience)
    playing = service.background.plays(batch.id)
    newest = await service.store.newest(batch.id, limit=_NEWEST) if playing else []
    left = _left(service, now, seen) if playing else None
    pauses = service.background.limits.pauses() if playing else {}
    return Running(now, seen, newest, playing, left, pauses, batch.who.judge not in ("", NOBODY, *EXACT))


def _left(service: AppState, now: BatchStatus, seen: Seen) -> float | None:
    """Seconds until the end at the speed so far; None while nobody can know."""
    if now.status is not Status.RUNNING or now.started_at is None or not seen.progress.stored:
        return None
    took = (service.clock.now() - now.started_at).total_seconds()
    return took / seen.progress.stored * seen.progress.left


router = APIRouter(prefix="/batches", include_in_schema=False)

_PAUSE = 0.4
"""Seconds between two looks at a batch, however much happens in it."""

_WORDS = 4


@router.get("/{id}/live")
async def live(service: Service, batch: Found, who: Listening) -> StreamingResponse:
    """Parts of the page of a batch, as Server-Sent Events, until it is at its end."""
    service.seats.check(who.caller.id)
    return StreamingResponse(
        _parts(service, batch, who), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


async def _parts(service: AppState, batch: Batch, who: Listener) -> AsyncIterator[str]:
    with service.seats.sitting(who.caller.id), service.background.listening(batch.id) as heard:
        said: deque[MessageSaid] = deque(maxlen=_WORDS)
        while who.welcome():
            playing = service.background.plays(batch.id)  # asked first, so that the last look is at everything
            yield _event(render("running.html", run=await running(service, batch), batch=batch, said=list(said)))
            if not playing or service.closing.is_set():
                yield "event: done\ndata: done\n\n"
                return
            if not await _something(service, heard, said):
                yield ": alive\n\n"


async def _something(service: AppState, heard: Subscription, said: deque[MessageSaid]) -> bool:
    """Wait until something has happened, and a little longer for what comes with it; False if nothing does."""
    closing, hearing = asyncio.create_task(service.closing.wait()), asyncio.create_task(heard.get())
    try:
        await asyncio.wait({hearing, closing}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED)
        if not hearing.done():
            return False
        _note(said, hearing.result())
        await asyncio.wait({closing}, timeout=_PAUSE)
        while not heard.empty():
            _note(said, heard.get_nowait())
        return True
    finally:
        for task in (closing, hearing):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _note(said: deque[MessageSaid], told: MessageSaid | None) -> None:
    if told is not None:
        said.append(told)


def _event(html: str) -> str:
    """One event: every line of its data says so."""
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
