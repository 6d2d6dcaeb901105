"""Pages of stored results: batches, conversations and report downloads."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from pydantic import ValidationError

from sparring.app.listing import PATIENCE, Seen, stored_statistics
from sparring.app.report import written_report
from sparring.app.results import costs_of, result
from sparring.app.service_results import batch_status
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.value import to_json
from sparring.core.verdict import CheckOutcome
from sparring.reports.batch_statistics import BatchStatistics
from sparring.reports.formats import ReportFormat, for_suffix, formats
from sparring.reports.html.charts import batch_charts
from sparring.reports.html.conversation import render_conversation
from sparring.reports.html.formatting import shown
from sparring.reports.rate_text import statistics_lines
from sparring.reports.service_results import BatchStatus, Status
from sparring.reports.transcript import transcript
from sparring.reports.usage import consumed, measured
from sparring.web.api.batches import ULID, Service, StoredBatch, find_batch, find_conversation
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.pages.live import batch_progress
from sparring.web.rendering import page

report_router = APIRouter(prefix="/batches", include_in_schema=False)

MAX_REPORTED = 5_000
"""Most conversations in a report from the server; larger reports would occupy it for too long."""

Suffix = Annotated[str, Path(pattern="^[a-z0-9]{1,16}$")]


@report_router.get("/{id}/report.{suffix}")
async def report(service: Service, batch: StoredBatch, suffix: Suffix) -> Response:
    """Return a batch as one file in the format of the suffix."""
    format = for_suffix(f".{suffix}", lambda each: each.batch is not None)
    if format is None:
        raise RequestError(404, f"unknown report format .{suffix}")
    if (await service.store.progress(batch.id)).stored > MAX_REPORTED:
        raise RequestError(
            409,
            f"too many conversations for a download (more than {MAX_REPORTED:,}): "
            f"use sparring report {batch.id} --output FILE.{suffix}",
        )
    content = await service.background_cache.run_uncached(lambda: _content(service, batch, format))
    headers = {"content-disposition": f'attachment; filename="sparring-{batch.id}.{suffix}"'}
    return Response(content, media_type=format.media_type, headers=headers)


async def _content(service: AppState, batch: Batch, format: ReportFormat) -> bytes:
    store, gate = service.store, service.config.gate
    whole = await store.batch(batch.id)
    _, (content,) = await written_report(whole, store, [format], now=service.clock.now(), gate=gate)
    return b"".join([chunk async for chunk in content])


@dataclass(frozen=True)
class Download:
    """A link of the download menu."""

    label: str
    url: str


def _reports(batch: Batch) -> list[Download]:
    """Return the links to reports of a batch."""
    path = f"/batches/{batch.id}/report"
    return [Download(each.label, f"{path}{each.suffixes[0]}") for each in formats() if each.batch]


def _results(batch: Batch) -> list[Download]:
    """Return the links to the result rows of a batch."""
    path = f"/api/batches/{batch.id}/results?partial=true&transcripts=true&format="
    return [Download(each.label, f"{path}{each.name}") for each in formats() if each.results]


router = APIRouter(prefix="/batches", include_in_schema=False)

_BATCHES = 25
_MAX_SCANNED = 2_000
_ROWS = 50
_SHOWN = 12
_MAX_COUNTED = 20_000
_GLANCE = 0.1

SearchText = Annotated[str, Query(max_length=500)]
ConversationId = Annotated[str, Query(min_length=1, max_length=2000)]


@dataclass(frozen=True)
class BatchRow:
    """A row in the list of batches. `statistics` is None while they are computed, or conversations run."""

    batch: Batch
    status: BatchStatus
    seen: Seen
    statistics: BatchStatistics | None


@router.get("")
async def batches(
    request: Request,
    service: Service,
    q: SearchText = "",
    state: Annotated[Status | str, Query(pattern="^(pending|running|completed|failed|cancelled|)$")] = "",
    before: Annotated[str, Query(max_length=26)] = "",
) -> HTMLResponse:
    """Show all batches, newest first."""
    rows, more = await _batches(service, q, str(state), before)
    following = _url("/batches", q=q, state=str(state), before=rows[-1].batch.id) if more else ""
    total = await service.store.count()
    return page(
        request,
        "batches.html",
        rows=rows,
        q=q,
        state=state,
        states=list(Status),
        next=following,
        total=total,
        demo=service.offers_demo,
    )


@router.get("/{id}")
async def batch(request: Request, service: Service, id: Annotated[str, Path(max_length=500)]) -> Response:
    """Show the progress and results of a batch. Redirect from the name of a batch to its page."""
    if not re.fullmatch(ULID, id):
        return await _by_name(service, id)
    batch = await find_batch(id, request)
    run = await batch_progress(service, batch, patience=PATIENCE)
    seen = run.seen
    failed = ConversationQuery(outcomes=(Outcome.FAILED, Outcome.UNDECIDED))
    _, troubles = await service.store.search(batch.id, failed, offset=0, limit=_SHOWN)
    totals = seen.totals
    measures = await service.listings.measures(batch, totals)
    statistics = await _statistics(service, batch, seen, patience=PATIENCE)
    called_so = await service.store.namesakes(batch.name)
    return page(
        request,
        "batch.html",
        batch=batch,
        namesakes=[each for each in called_so if each != batch.id],
        newest=called_so[:1] == [batch.id],
        run=run,
        said=(),
        seen=seen,
        reports=_reports(batch) if seen.progress.stored <= MAX_REPORTED else (),
        results=_results(batch),
        judges=await _judge_usage(service, batch, seen) if run.judges_apart and not run.playing else None,
        troubles=troubles,
        statistics=statistics,
        claims=list(statistics_lines(statistics)) if statistics else (),
        measures=measures,
        charts=batch_charts(totals.outcomes, _endings(seen), totals.scores, totals.failed, measures),
    )


async def _by_name(service: AppState, name: str) -> Response:
    """Redirect to the batch with this name, or to the list if several have it."""
    ids = await service.store.namesakes(name)
    if not ids:
        raise RequestError(404, f"batch {name} not found")
    return RedirectResponse(f"/batches/{ids[0]}" if len(ids) == 1 else _url("/batches", q=name), 303)


@router.get("/{id}/conversations")
async def conversations(request: Request, service: Service, batch: StoredBatch) -> HTMLResponse:
    """Show the conversations of a batch that match the filter, one page at a time."""
    asked = {name: value for name, value in request.query_params.items() if value and len(value) <= 500}
    wanted, at = _parse_query(asked)
    seen = await service.listings.look(batch)
    total, rows = await service.store.search(batch.id, wanted, offset=(at - 1) * _ROWS, limit=_ROWS)
    path = f"/batches/{batch.id}/conversations"

    def link(**changed: str) -> str:
        return _url(path, **{**{name: value for name, value in asked.items() if name != "page"}, **changed})

    return page(
        request,
        "conversations.html",
        batch=batch,
        seen=seen,
        total=total,
        rows=rows,
        wanted=wanted,
        asked=asked,
        at=at,
        pages=max(1, -(-total // _ROWS)),
        link=link,
        endings=list(Ending),
        outcomes=list(Outcome),
    )


@router.get("/{id}/conversation")
async def conversation(
    request: Request, service: Service, batch: StoredBatch, id_: Annotated[ConversationId, Query(alias="id")]
) -> Response:
    """Show a conversation turn by turn, with its verdicts."""
    found = await find_conversation(service, batch, id_)
    recorded = await result(batch, service.store, found)
    verdicts = recorded.all
    usage = sum(found.usage.values(), Usage())
    return page(
        request,
        "conversation.html",
        batch=batch,
        conversation=found,
        verdicts=sorted(verdicts, key=lambda verdict: verdict.outcome not in (CheckOutcome.FAIL, CheckOutcome.ERROR)),
        turns=render_conversation(found, verdicts),
        usage=usage,
        calls=measured(found),
        used_by=consumed(found, verdicts),
        decision=recorded.decision,
        first=recorded.first,
        raw=shown(found.model_dump_json(indent=2)),
        text="\n".join(transcript(found)),
        attempts=await _attempts(service, batch, found),
    )


@router.get("/{id}/conversation.json")
async def conversation_json(
    service: Service, batch: StoredBatch, id_: Annotated[ConversationId, Query(alias="id")]
) -> Response:
    """Download the full stored record of a conversation."""
    found = await find_conversation(service, batch, id_)
    return Response(to_json(found), media_type="application/json", headers=_attachment("conversation.json"))


@router.get("/{id}/conversation.txt")
async def conversation_text(
    service: Service, batch: StoredBatch, id_: Annotated[ConversationId, Query(alias="id")]
) -> Response:
    """Download a conversation as plain text."""
    found = await find_conversation(service, batch, id_)
    return PlainTextResponse("\n".join(transcript(found)) + "\n", headers=_attachment("conversation.txt"))


async def _judge_usage(service: AppState, batch: Batch, seen: Seen) -> Usage | None:
    """Return the judges' usage in a batch; None for large batches, or if computing it takes too long."""
    if seen.progress.stored > MAX_REPORTED:
        return None

    async def work() -> Usage:
        costs = await costs_of(await service.store.batch(batch.id), service.store, {})
        return costs.roles.get("judge", Usage())

    key = ("judges", batch.id, seen.totals.model_dump_json())
    return await service.background_cache.get(key, work, patience=PATIENCE)


async def _statistics(service: AppState, batch: Batch, seen: Seen, *, patience: float) -> BatchStatistics | None:
    """Return the statistics of a batch; None while it runs, if it is very large, or if they take too long."""
    changing = service.background.plays(batch.id) or seen.behind
    if changing or not seen.progress.stored or seen.progress.planned > _MAX_COUNTED:
        return None
    key = ("statistics", batch.id, seen.totals.model_dump_json())
    return await service.background_cache.get(key, lambda: stored_statistics(batch, service.store), patience=patience)


async def _batches(service: AppState, q: str, state: str, before: str) -> tuple[list[BatchRow], bool]:
    """Return a page of matching batches, and True if there are more."""
    rows: list[BatchRow] = []
    looked_through = 0
    while looked_through < _MAX_SCANNED:
        some = await service.store.batches(limit=100, before=before)
        for each in some:
            with suppress(InputError):  # deleted meanwhile
                if not _matches(each, q):
                    continue
                now = await batch_status(service.store, each)
                if state and now.status != state:
                    continue
                if len(rows) == _BATCHES:
                    return rows, True
                seen = await service.listings.look(each, patience=_GLANCE)
                rows.append(BatchRow(each, now, seen, await _statistics(service, each, seen, patience=_GLANCE)))
        if len(some) < 100:
            break
        before, looked_through = some[-1].id, looked_through + len(some)
    return rows, False


def _matches(batch: Batch, q: str) -> bool:
    words = " ".join((batch.id, batch.name, *batch.tags, str(batch.who))).casefold()
    return all(word in words for word in q.casefold().split())


def _parse_query(asked: Mapping[str, str]) -> tuple[ConversationQuery, int]:
    """Parse the filter and the page number. Raise `RequestError` if they are invalid."""
    try:
        wanted = ConversationQuery(
            endings=tuple(Ending(each) for each in asked.get("ending", "").split()),
            outcomes=tuple(Outcome(each) for each in asked.get("outcome", "").split()),
            scores=tuple(float(each) for each in asked.get("score", "").split()),
            check=asked.get("check", ""),
            text=asked.get("text", ""),
            tag=asked.get("tag", ""),
            case=asked.get("case", ""),
            order=asked.get("order", "case"),
            descending=asked.get("way") == "down",
        )
        at = int(asked.get("page", "1"))
    except (ValueError, ValidationError) as error:
        raise RequestError(400, "invalid filter") from error
    if not 1 <= at <= 10_000_000:
        raise RequestError(404, "page not found")
    return wanted, at


def conversation_url(batch: str, id: str) -> str:
    """Return the URL of a conversation's page.

    The id is a query parameter, as it may contain any character.
    """
    return _url(f"/batches/{batch}/conversation", id=id)


async def _attempts(service: AppState, batch: Batch, found: Conversation) -> int:
    if found.timing is None or found.timing.attempt == 1:
        return 1
    return len(await service.store.attempts(batch.id, found.id))


def _endings(seen: Seen) -> dict[str, int]:
    return {(ending.value if ending else "did not end"): count for ending, count in seen.progress.endings.items()}


def _url(path: str, **values: str) -> str:
    return f"{path}?{urlencode({name: value for name, value in values.items() if value})}"


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
