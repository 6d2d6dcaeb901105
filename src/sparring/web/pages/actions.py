"""Form actions of the batch pages: cancel, resume, retry, rerun a case, and store a human verdict."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sparring.app.listing import MAX_WAIT
from sparring.app.results import batch_status
from sparring.core.batch import Batch
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.web.api.batches import (
    Service,
    StoredBatch,
    find_conversation,
    resume_batch,
    retry_failed,
)
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.api.use_cases import rerun_batch
from sparring.web.pages.batches import finished_overview
from sparring.web.pages.selection import conversation_url, selected, selection_of

router = APIRouter(prefix="/batches", include_in_schema=False)

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
    """Run one conversation again, or all that a filter selects, as a new batch."""
    wanted = [conversation] if conversation else await _selected(service, batch, selection)
    made = await rerun_batch(service, batch.id, wanted)
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
