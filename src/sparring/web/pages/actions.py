"""What pages do to batches: cancel, go on, play a case again, and keep what a person thinks."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from sparring.app.launch import BatchPlan, origin_of
from sparring.core.errors import InputError
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.web.api.batches import Found, Service, hold_again, make_room
from sparring.web.api.errors import Refusal
from sparring.web.pages.batches import conversation_url, found_conversation

router = APIRouter(prefix="/batches", include_in_schema=False)

Id = Annotated[str, Form(min_length=1, max_length=2000)]
Name = Annotated[str, Form(max_length=500)]


@router.post("/{id}/cancel")
async def cancel(service: Service, batch: Found) -> Response:
    """Stop it; what is stored stays."""
    if service.background.plays(batch.id):
        await service.background.cancel(batch.id)
    return RedirectResponse(f"/batches/{batch.id}", 303)


@router.post("/{id}/resume")
async def resume(service: Service, batch: Found) -> Response:
    """Go on with what is left."""
    if not service.background.plays(batch.id):
        make_room(service)
        try:
            await service.background.resume(batch.id)
        except InputError as error:
            raise Refusal(409, str(error)) from error
    return RedirectResponse(f"/batches/{batch.id}", 303)


@router.post("/{id}/retry")
async def retry(service: Service, batch: Found) -> Response:
    """Hold what does not count again."""
    await hold_again(service, batch)
    return RedirectResponse(f"/batches/{batch.id}", 303)


@router.post("/{id}/rerun")
async def rerun(service: Service, batch: Found, conversation: Id) -> Response:
    """Play a case again as it was played, in a batch of its own."""
    told = await found_conversation(service, batch, conversation)
    origin = origin_of(batch)
    service.offer.permit(origin.choice)
    make_room(service)
    plan = BatchPlan(
        cases=(told.case,),
        choice=origin.choice,
        name=f"again: {told.case.id}"[:200],
        tags=batch.tags,
        rules=tuple(rule for rule in batch.rules if rule.conversations == 1),
        rubrics=batch.rubrics,
        case_rubrics=batch.case_rubrics,
    )
    made = await service.background.launch(plan, service.settings.model_copy(update={"seed": batch.seed}))
    return RedirectResponse(f"/batches/{made.id}", 303)


@router.post("/{id}/verdicts")
async def judge(
    request: Request,
    service: Service,
    batch: Found,
    conversation: Id,
    outcome: Annotated[Literal["pass", "fail"], Form()],
    check: Name = "",
    rubric: Annotated[str, Form(pattern="^[0-9a-f]{64}$|^$")] = "",
    reason: Annotated[str, Form(max_length=5000)] = "",
) -> Response:
    """Keep what a person thinks of a conversation, in place of what they thought before."""
    told = await found_conversation(service, batch, conversation)
    verdict = Verdict(
        check=check or HUMAN,
        outcome=CheckOutcome(outcome),
        conversation=told.id,
        reason=reason.strip(),
        by=HUMAN,
        judge=HUMAN,
        rubric=rubric,
    )
    await service.store.judge(batch.id, verdict, anew=True)
    return RedirectResponse(f"{conversation_url(batch.id, told.id)}#verdicts", 303)
