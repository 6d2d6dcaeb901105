"""The page of one batch: verdict, causes, scenarios, figures, and the actions of its forms."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import RedirectResponse, Response

from sparring.app.label import cause_marks, marks
from sparring.app.launch import conversations_to_retry
from sparring.app.listing import MAX_WAIT, Seen, fallen_score
from sparring.app.report import stored_overview
from sparring.app.results import batch_status, costs_of
from sparring.core.batch import Batch
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.reports.formats import formats
from sparring.reports.html.charts import batch_charts
from sparring.reports.html.result import result_view
from sparring.reports.overview import Group, Overview
from sparring.reports.rate_text import statistics_lines
from sparring.reports.sentence import verdict_sentence
from sparring.reports.service_results import Status
from sparring.reports.usage import Costs
from sparring.web import batch_names
from sparring.web.api.batches import (
    Service,
    StoredBatch,
    find_batch,
    find_conversation,
    resume_batch,
    retry_failed,
    stored_batch,
)
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.api.use_cases import MAX_REPORTED, rerun_batch, run_again
from sparring.web.pages.live import BatchProgress, batch_progress, typed_ref
from sparring.web.pages.selection import address, addresses, conversation_url, failures, selected, selection_of
from sparring.web.rendering import page

router = APIRouter(prefix="/batches", include_in_schema=False)
named = APIRouter(include_in_schema=False)
"""Comes after all other routers, because its name matches any path."""

MOST_COUNTED = 20_000
"""Most conversations of a batch that pages show at a glance."""

_GROUPS = 60

By = Literal["cause", "rule", "turn", "scenario", "tag"]
_PARAMETERS = {"rule": "check", "turn": "turn", "scenario": "scenario", "tag": "tag"}


@router.get("/{id}")
async def batch(
    request: Request, service: Service, id: Annotated[str, Path(max_length=500)], by: Annotated[By, Query()] = "cause"
) -> Response:
    """Show the progress and results of a batch. Redirect from a name, or `NAME@RUN`, to its page."""
    batch = await find_batch(id, request)
    if id != batch.id:
        return RedirectResponse(address(f"/batches/{batch.id}", **request.query_params), 303)
    run = await batch_progress(service, batch, max_wait=MAX_WAIT)
    found = None if run.sentence else await finished_overview(service, batch, run.seen, max_wait=MAX_WAIT)
    runs = await service.store.namesakes(batch.name) or {batch.id: 1}
    previous = max((id for id in runs if id < batch.id), default="")
    shared: dict[str, Any] = {
        "batch": batch,
        "run": run,
        "said": (),
        "seen": run.seen,
        "runs": runs,
        "ref": await typed_ref(batch, service.store),
        "previous": previous,
        "fallen": await fallen(service, batch, previous, run.seen, max_wait=MAX_WAIT) if found else "",
        "newest": max(runs) == batch.id,
        "to_retry": await conversations_to_retry(batch.id, service.store),
        "downloads": list(downloads(batch, run.seen.progress.stored)),
        "found": found,
        "by": by,
        "pending": found is None and not run.sentence and is_countable(run.seen),
    }
    return page(request, "batch.html", **shared, **(await _results(service, batch, run, found, by) if found else {}))


async def _results(service: AppState, batch: Batch, run: BatchProgress, found: Overview, by: By) -> dict[str, Any]:
    """Return the page's data of a finished batch."""
    totals = run.seen.totals
    stopped = run.status.error_message or ("cancelled" if run.status.status is Status.CANCELLED else "")
    measures = await service.listings.measures(batch, totals)
    failed = [each for each in found.causes if each.outcome == "failed"]
    return {
        **result_view(found, addresses(batch.id)),
        "sentence": verdict_sentence(found, stopped, found.gated),
        "tabs": [("cause", len(failed)), *((each, len(found.grouped(each))) for each in _PARAMETERS)],
        "groups": list(_groups(batch.id, found, by))[:_GROUPS],
        "claims": list(statistics_lines(found.statistics)) if found.statistics else (),
        "measures": measures,
        "marked": [(each, conversation_url(batch.id, each.conversation)) for each in await marks(batch, service.store)],
        "cause_marks": await cause_marks(batch, service.store),
        "charts": batch_charts({}, totals.scores, measures),
        "costs": await _costs(service, batch, run.seen),
    }


async def fallen(service: AppState, batch: Batch, previous: str, seen: Seen, *, max_wait: float) -> str | None:
    """Return a sentence about a score that fell from the previous run; None if that takes too long."""
    if not previous:
        return ""
    key = ("fallen", batch.id, previous, seen.totals.model_dump_json())
    work = partial(fallen_score, previous, batch, service.store)
    return await service.background_cache.get(key, work, max_wait=max_wait)


@router.get("/{id}/report.html")
async def report(service: Service, id: Annotated[str, Path(max_length=500)]) -> Response:
    """Redirect to the report of a batch as one HTML file."""
    batch = await stored_batch(service, batch_names.named(id))
    return RedirectResponse(f"/api/batches/{batch.id}/report?format=html", 303)


@named.get("/batches/{name:path}")
async def batch_with_slash(request: Request, service: Service, name: Annotated[str, Path(max_length=500)]) -> Response:
    """Redirect from a name that has a slash."""
    batch = await stored_batch(service, batch_names.named(name))
    return RedirectResponse(address(f"/batches/{batch.id}", **request.query_params), 303)


async def finished_overview(service: AppState, batch: Batch, seen: Seen, *, max_wait: float) -> Overview | None:
    """Return a batch at a glance; None while it runs, if it is very large, or if that takes too long."""
    if service.background.plays(batch.id) or seen.behind or not is_countable(seen):
        return None
    names = await service.store.namesakes(batch.name)
    gate = service.config.gate
    judges = await service.store.calibrations(batch.who.judge) if gate and gate.judge else ()
    calibrated = max((each.created for each in judges), default=None)
    key = ("overview", batch.id, seen.totals.model_dump_json(), tuple(names), calibrated)
    return await service.background_cache.get(
        key, partial(stored_overview, batch, service.store, gate=gate), max_wait=max_wait
    )


def is_countable(seen: Seen) -> bool:
    """Return True if a batch has conversations, and not too many to show it at a glance."""
    return seen.progress.stored > 0 and seen.progress.planned <= MOST_COUNTED


def _groups(batch: str, found: Overview, by: By) -> Iterator[tuple[Group, str]]:
    """Yield the groups of failed conversations, each with the address of its conversations."""
    if by != "cause":
        for each in found.grouped(by):
            query = failures(**{_PARAMETERS[by]: each.name}).query
            yield each, f"/batches/{batch}/conversations?{query}"


async def _costs(service: AppState, batch: Batch, seen: Seen) -> Costs | None:
    """Return the usage of a batch; None for large batches, or if it takes too long to compute."""
    if seen.progress.stored > MAX_REPORTED:
        return None
    key = ("costs", batch.id, seen.totals.model_dump_json())
    work = partial(costs_of, batch, service.store, service.config.llm.prices, dearest=0)
    return await service.background_cache.get(key, work, max_wait=MAX_WAIT)


def downloads(batch: Batch, stored: int) -> Iterator[tuple[str, str]]:
    """Yield label and address of what can be downloaded of a batch with this number of conversations."""
    if not stored:
        return
    if stored <= MAX_REPORTED:
        for each in formats():
            if each.batch:
                yield f"Report ({each.label})", f"/api/batches/{batch.id}/report?format={each.name}"
    for each in formats():
        if each.results:
            query = f"partial=true&transcripts=true&format={each.name}"
            yield f"Results ({each.label})", f"/api/batches/{batch.id}/results?{query}"


ConversationId = Annotated[str, Form(min_length=1, max_length=2000)]
CheckName = Annotated[str, Form(max_length=500)]


@router.post("/{id}/cancel")
async def cancel(service: Service, batch: StoredBatch) -> Response:
    """Cancel a running batch; stored conversations are kept."""
    if service.background.plays(batch.id):
        await service.background.cancel(batch.id)
    return RedirectResponse(f"/batches/{batch.id}", 303)


@router.post("/{id}/resume")
async def resume(service: Service, batch: StoredBatch) -> Response:
    """Resume a batch."""
    await resume_batch(service, batch, await batch_status(service.store, batch))
    return RedirectResponse(f"/batches/{batch.id}", 303)


@router.post("/{id}/retry")
async def retry(service: Service, batch: StoredBatch) -> Response:
    """Retry void and crashed conversations."""
    await retry_failed(service, batch)
    return RedirectResponse(f"/batches/{batch.id}", 303)


@router.post("/{id}/rerun")
async def rerun(
    service: Service,
    batch: StoredBatch,
    conversation: Annotated[str, Form(max_length=2000)] = "",
    selection: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Run one conversation again, or all that a filter selects, as a new batch; or everything."""
    if conversation or selection:
        wanted = [conversation] if conversation else await _selected(service, batch, selection)
        made = await rerun_batch(service, batch.id, wanted)
    else:
        made = await run_again(service, batch.id)
    return RedirectResponse(f"/batches/{made.id}", 303)


async def _selected(service: AppState, batch: Batch, selection: str) -> list[str]:
    found = await finished_overview(service, batch, await service.listings.look(batch), max_wait=MAX_WAIT)
    inside = await selected(selection_of(selection), found, batch.id, service.store) if found else []
    if not inside:
        raise RequestError(409, "no conversations to rerun")
    return [each.id for each in inside]


@router.post("/{id}/verdicts")
async def add_verdict(
    request: Request,
    service: Service,
    batch: StoredBatch,
    conversation: ConversationId,
    outcome: Annotated[Literal["pass", "fail"], Form()],
    check: CheckName = "",
    rubric: Annotated[str, Form(pattern="^[0-9a-f]{64}$|^$")] = "",
    reason: Annotated[str, Form(max_length=5000)] = "",
) -> Response:
    """Store a human verdict on a conversation, replacing an earlier one."""
    found = await find_conversation(service, batch, conversation)
    verdict = Verdict(
        check=check or HUMAN,
        outcome=CheckOutcome(outcome),
        conversation=found.id,
        reason=reason.strip(),
        by=HUMAN,
        judge=HUMAN,
        rubric=rubric,
    )
    await service.store.judge(batch.id, verdict, rejudge=True)
    return RedirectResponse(f"{conversation_url(batch.id, found.id)}#verdicts", 303)
