"""Live progress of a batch, rendered as page fragments and streamed as Server-Sent Events."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import ceil
from shlex import quote

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from sparring.app.background import Subscription
from sparring.app.listing import Seen
from sparring.app.report import stored_overview
from sparring.app.results import batch_status
from sparring.core.batch import Batch
from sparring.core.events import MessageSaid
from sparring.core.listing import ConversationRow
from sparring.reports.causes import MOST_CAUSES
from sparring.reports.html.formatting import seconds
from sparring.reports.html.result import CauseView, cause_views
from sparring.reports.overview import Overview
from sparring.reports.sentence import BatchSentence, running_sentence
from sparring.reports.service_results import BatchStatus, Status
from sparring.store.store import Store
from sparring.web.api.batches import CurrentListener, EventListener, Service, StoredBatch
from sparring.web.api.dependencies import AppState
from sparring.web.api.events import HEARTBEAT
from sparring.web.pages.selection import addresses
from sparring.web.rendering import render

_NEWEST = 12

_MOST_COUNTED = 2_000
"""Most conversations of a batch whose causes are grouped while it runs."""


@dataclass(frozen=True)
class BatchProgress:
    """Snapshot of a batch: status, results so far, sentence, causes and recent conversations.

    `announced` is what screen readers say, which changes at each tenth of the batch. `pauses` maps rate-limited models
    to the seconds until the next call. `elsewhere` names the other process that plays the batch, whose messages are not
    heard here.
    """

    status: BatchStatus
    seen: Seen
    playing: bool
    elsewhere: str = ""
    newest: Sequence[ConversationRow] = ()
    pauses: Mapping[str, float] = field(default_factory=dict)
    sentence: BatchSentence | None = None
    announced: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    causes: Sequence[CauseView] = ()


async def batch_progress(service: AppState, batch: Batch, *, max_wait: float = 0.2) -> BatchProgress:
    """Return a snapshot of the progress of a batch."""
    now = await batch_status(service.store, batch)
    seen = await service.listings.look(batch, max_wait=max_wait)
    progress = BatchProgress(now, seen, service.background.plays(batch.id))
    running = progress.playing or now.status in (Status.PENDING, Status.RUNNING)
    return await _while_running(service, batch, progress) if running else progress


async def _while_running(service: AppState, batch: Batch, progress: BatchProgress) -> BatchProgress:
    """Add the parts of a running batch's page."""
    left = _seconds_left(service, progress.status, progress.seen)
    stored, planned = progress.seen.progress.stored, progress.seen.progress.planned
    found = Overview(planned, stored, progress.seen.totals.outcomes)
    if planned <= _MOST_COUNTED:
        found = await stored_overview(batch, service.store, finished=False)
    done = 10 * found.stored // max(found.planned, 1)
    return replace(
        progress,
        elsewhere="" if progress.playing else await _player(service, batch),
        newest=await service.store.newest(batch.id, limit=_NEWEST),
        pauses=service.background.limits.pauses(),
        sentence=running_sentence(found, seconds(ceil(left)) if left is not None else ""),
        announced=f"{10 * done} % done" if done else "",
        counts=found.counts,
        causes=cause_views(found.causes[:MOST_CAUSES], addresses(batch.id)),
    )


async def _player(service: AppState, batch: Batch) -> str:
    job = await service.store.job(batch.id) if await service.store.is_played(batch.id) else None
    return "" if job is None else "Another server" if job.served else "A command"


def _seconds_left(service: AppState, now: BatchStatus, seen: Seen) -> float | None:
    """Estimate the seconds until the end at the speed so far; None before the first conversation ended."""
    if now.status is not Status.RUNNING or now.started_at is None or not seen.progress.stored:
        return None
    elapsed = (service.clock.now() - now.started_at).total_seconds()
    return elapsed / seen.progress.stored * seen.progress.left


async def typed_ref(batch: Batch, store: Store) -> str:
    """Return a batch as commands take it: `NAME@RUN`, or the id of one without a name."""
    run = (await store.namesakes(batch.name)).get(batch.id) if batch.name else None
    return quote(f"{batch.name}@{run}") if run else batch.id


router = APIRouter(prefix="/batches", include_in_schema=False)

_INTERVAL = 1.0
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
    with service.listener_limit.acquire(who.caller.id), service.background.listening(batch.id) as subscription:
        said: deque[MessageSaid] = deque(maxlen=_MESSAGES)
        shown, ref = "", await typed_ref(batch, service.store)
        while who.may_listen():
            playing = service.background.plays(batch.id)  # checked first, so that the last update is complete
            run = await batch_progress(service, batch)
            html = (
                render("running.html", run=run, batch=batch, ref=ref, said=list(said))
                if run.sentence is not None
                else ""
            )
            if html != shown and html:
                yield _event(html)
            shown = html
            if service.closing.is_set() or not (playing or html):
                yield "event: done\ndata: done\n\n"
                return
            wait = HEARTBEAT if playing else _INTERVAL  # of another process, nothing is heard
            if not await _wait_for_change(service, subscription, said, wait):
                yield ": alive\n\n"


async def _wait_for_change(
    service: AppState, subscription: Subscription, said: deque[MessageSaid], max_wait: float
) -> bool:
    """Wait for news and collect more for a moment. Return False if nothing happens in `max_wait` seconds."""
    closing, next_event = asyncio.create_task(service.closing.wait()), asyncio.create_task(subscription.get())
    try:
        await asyncio.wait({next_event, closing}, timeout=max_wait, return_when=asyncio.FIRST_COMPLETED)
        if not next_event.done():
            return False
        _append_message(said, next_event.result())
        await asyncio.wait({closing}, timeout=_INTERVAL)
        while not subscription.empty():
            _append_message(said, subscription.get_nowait())
        return True
    finally:
        for task in (closing, next_event):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _append_message(said: deque[MessageSaid], message: MessageSaid | None) -> None:
    if message is not None:
        said.append(message)


def _event(html: str) -> str:
    """Format HTML as one Server-Sent Event."""
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
