"""Marks, and blind labels: people decide without seeing an outcome, evidence, score or filter."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from sparring.app.label import Label, Opinion, label_queue, labels, mark
from sparring.app.label import label as store_labels
from sparring.app.listing import MAX_WAIT
from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.checks import Scale
from sparring.core.conversation import Conversation
from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.html.conversation import render_conversation
from sparring.reports.overview import Overview
from sparring.web.api.batches import Service, StoredBatch, find_conversation
from sparring.web.api.errors import RequestError, refusing
from sparring.web.pages.batches import finished_overview
from sparring.web.pages.selection import address, conversation_url, selection_of
from sparring.web.rendering import page

router = APIRouter(prefix="/batches", include_in_schema=False)

_ENOUGH = 20
"""Labels before the agreement with the outcomes is shown, so that it does not sway the next ones."""

_AGREES = {Outcome.PASSED: CheckOutcome.PASS, Outcome.FAILED: CheckOutcome.FAIL}
Sample = Annotated[int, Query(ge=2, le=500)]
Seed = Annotated[int, Query(ge=0)]


@router.get("/{id}/label")
async def label(
    request: Request,
    service: Service,
    batch: StoredBatch,
    sample: Sample = 50,
    seed: Seed = 1,
    at: Annotated[int | None, Query(ge=1, le=501)] = None,
    who: Annotated[str, Query(max_length=100)] = "",
) -> HTMLResponse:
    """Show one conversation of a random sample without its outcome, by default the first without a label."""
    found = await finished_overview(service, batch, await service.listings.look(batch), max_wait=MAX_WAIT)
    ids = list(await label_queue(batch, service.store, sample=sample, seed=seed)) if found else []
    if found and not ids:
        raise RequestError(409, "nothing to label: no conversation is stored, or all are void")
    shared: dict[str, Any] = {"batch": batch, "sample": sample, "seed": seed, "who": who, "pending": found is None}
    if found is None:
        return page(request, "label.html", **shared)
    given = {each.conversation: each async for each in labels(batch, service.store) if each.who == who}
    left = [place for place, each in enumerate(ids, 1) if each not in given]
    at = min(at or (left or [1])[0], len(ids))
    conversation = await find_conversation(service, batch, ids[at - 1])
    plain = conversation.model_copy(update={"goals": (), "outputs": (), "calls": ()})

    def url(place: int) -> str:
        known = {"sample": str(sample), "seed": str(seed), "at": str(place), "who": who}
        return address(f"/batches/{batch.id}/label", **known) if 1 <= place <= len(ids) else ""

    done = [id for id in ids if id in given]
    return page(
        request,
        "label.html",
        **shared,
        conversation=conversation,
        turns=render_conversation(plain),
        blames=list(Blame),
        scores=_scores(batch),
        said=_said(conversation),
        at=at,
        total=len(ids),
        done=len(done),
        previous=url(at - 1),
        next=url(at + 1),
        mine=given.get(conversation.id),
        agreement=_agreement(found, given, done) if len(done) >= _ENOUGH else "",
    )


@router.post("/{id}/labels")
async def add_label(
    service: Service,
    batch: StoredBatch,
    conversation: Annotated[str, Form(min_length=1, max_length=2000)],
    outcome: Annotated[Opinion, Form()],
    blame: Annotated[Blame | Literal[""], Form()] = "",
    turn: Annotated[str, Form(pattern=r"^[0-9]{0,4}$")] = "",
    score: Annotated[str, Form(pattern=r"^[0-9]{0,3}$")] = "",
    reason: Annotated[str, Form(max_length=5000)] = "",
    who: Annotated[str, Form(max_length=100)] = "",
    sample: Annotated[int, Form(ge=2, le=500)] = 50,
    seed: Annotated[int, Form(ge=0)] = 1,
    at: Annotated[int, Form(ge=1, le=500)] = 1,
) -> Response:
    """Store a blind label, which changes no outcome, and go on to the next conversation."""
    found = await find_conversation(service, batch, conversation)
    given = Label(
        conversation=found.id,
        outcome=outcome,
        blame=blame or None,
        turn=int(turn) if turn else None,
        score=int(score) if score else None,
        reason=reason,
        who=who,
    )
    with refusing(400):
        queue = await label_queue(batch, service.store, sample=sample, seed=seed)
        await store_labels(batch, service.store, [given], service.clock.now(), queue)
    query = {"sample": str(sample), "seed": str(seed), "at": str(at + 1), "who": who.strip()}
    return RedirectResponse(address(f"/batches/{batch.id}/label", **query), 303)


@router.post("/{id}/marks")
async def add_mark(
    service: Service,
    batch: StoredBatch,
    conversation: Annotated[str, Form(min_length=1, max_length=2000)],
    note: Annotated[str, Form(max_length=5000)] = "",
    who: Annotated[str, Form(max_length=100)] = "",
    remove: Annotated[bool, Form()] = False,
    in_: Annotated[str, Form(alias="in", max_length=2000)] = "",
    cause: Annotated[str, Form(pattern=r"^(c-.{1,200})?$")] = "",
) -> Response:
    """Mark a conversation or a cause with a note, or remove its mark, and return to it."""
    found = await find_conversation(service, batch, conversation)
    note = "" if remove else note.strip() or "marked"
    await mark(batch, service.store, found.id, note, who, service.clock.now(), cause=cause)
    if cause:
        return RedirectResponse(f"/batches/{batch.id}#causes", 303)
    return RedirectResponse(conversation_url(batch.id, found.id, selection_of(in_), "mark"), 303)


def _scores(batch: Batch) -> list[int]:
    """Return the scores of the first rubric of a batch, or of the built-in ones."""
    scale = batch.rubrics[0].scale if batch.rubrics else Scale()
    return list(range(scale.worst, scale.best + 1))


def _said(conversation: Conversation) -> list[tuple[int, str]]:
    """Return the turns of a conversation with the user's words."""
    messages = list(enumerate(conversation.messages))[len(conversation.case.history) :]
    return [(conversation.turn_of(at), each.text) for at, each in messages if each.role == "user"]


def _agreement(found: Overview, labels: dict[str, Verdict], done: list[str]) -> str:
    """Return how many labels agree with the outcomes, in words."""
    outcomes = {each.id: each.outcome for each in found.entries}
    decided = [id for id in done if labels[id].outcome is not CheckOutcome.ERROR and outcomes[id] in _AGREES]
    agreed = sum(_AGREES[outcomes[id]] is labels[id].outcome for id in decided)
    return f"{agreed:,} of {len(decided):,} labels agree with the outcome"
