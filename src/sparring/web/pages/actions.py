"""Form actions of the batch pages: cancel, resume, retry, rerun a case, and store a human verdict."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sparring.app.execution import inputs_of
from sparring.app.launch import BatchPlan
from sparring.app.listing import MAX_WAIT
from sparring.app.service_results import batch_status
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.web.api.batches import (
    Service,
    StoredBatch,
    check_batch_limit,
    find_conversation,
    resume_batch,
    retry_failed,
)
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
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
    """Rerun one case, or all that a filter selects, with the same players as a new batch."""
    origin = inputs_of(batch)
    service.allowed.permit(origin.choice)
    check_batch_limit(service)
    cases = await _cases(service, batch, conversation, selection)
    plan = BatchPlan(
        cases=cases,
        choice=origin.choice,
        name=f"rerun: {cases[0].id if len(cases) == 1 else batch.name or batch.id}"[:200],
        tags=batch.tags,
        rules=tuple(rule for rule in batch.rules if rule.conversations == 1),
        rubrics=batch.rubrics,
        case_rubrics=batch.case_rubrics,
        budget=origin.budget,
    )
    made = await service.background.launch(plan, replace(service.config, seed=batch.seed))
    return RedirectResponse(f"/batches/{made.id}", 303)


async def _cases(service: AppState, batch: Batch, conversation: str, selection: str) -> tuple[Case, ...]:
    if conversation:
        return ((await find_conversation(service, batch, conversation)).case,)
    found = await finished_overview(service, batch, await service.listings.look(batch), max_wait=MAX_WAIT)
    inside = await selected(selection_of(selection), found, batch.id, service.store) if found else []
    wanted = {each.case for each in inside}
    if not wanted:
        raise RequestError(409, "no conversations to rerun")
    return tuple(case for case in (await service.store.batch(batch.id)).cases if case.id in wanted)


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
