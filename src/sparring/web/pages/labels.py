"""Pages of people's marks and blind labels, and of a batch's judge."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from sparring.app.calibrate import calibrate, uncalibrated
from sparring.app.judge import try_canaries
from sparring.app.label import Label, Opinion, label_queue, labels, labels_of, mark
from sparring.app.label import label as store_labels
from sparring.app.listing import MAX_WAIT
from sparring.app.rubrics import RubricSelection
from sparring.app.wiring import is_model
from sparring.core.audit import Blame
from sparring.core.batch import NO_JUDGE, Batch, judges_of
from sparring.core.checks import Scale
from sparring.core.conversation import Conversation
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.injection_probes import canary_lines
from sparring.reports.calibration_text import calibration_text
from sparring.reports.html.conversation import render_conversation
from sparring.reports.overview import Overview
from sparring.store.store import ignore
from sparring.web.api.batches import Service, StoredBatch, find_conversation
from sparring.web.api.dependencies import AppState
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
    """Store a blind label, which changes no outcome, and go on to the next conversation.

    One that passed has no party to blame: the form may have one from before the decision.
    """
    found = await find_conversation(service, batch, conversation)
    given = Label(
        conversation=found.id,
        outcome=outcome,
        blame=(blame or None) if outcome != "passed" else None,
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


@router.get("/{id}/judge")
async def show_judge(request: Request, service: Service, batch: StoredBatch) -> HTMLResponse:
    """Show how far the judge of a batch can be trusted."""
    return page(request, "judge.html", **await _facts(service, batch))


@router.post("/{id}/calibrate")
async def calibrate_judge(
    service: Service, batch: StoredBatch, probe: Annotated[int, Form(ge=0, le=1000)] = 0
) -> Response:
    """Calibrate the judge of a batch by each of its rubrics, and return to its page."""
    whole, now = await service.store.batch(batch.id), service.clock.now()
    if probe:
        _require_models(service, whole)

    async def calibrated() -> None:
        for rubric in [each.hash for each in (*whole.rubrics, *whole.case_rubrics)] or [""]:
            await calibrate(whole, service.store, service.config, now, rubric=rubric, probe=probe)

    with refusing(400):
        await service.background_cache.run_uncached(calibrated)
    return RedirectResponse(f"/batches/{batch.id}/judge", 303)


@router.post("/{id}/canaries")
async def canaries(request: Request, service: Service, batch: StoredBatch) -> HTMLResponse:
    """Test the judge of a batch with replies that try to talk it into a score, and show the result."""
    whole = await service.store.batch(batch.id)
    _require_models(service, whole)
    lines: list[str] = []
    for judge in judges_of(whole.who.judge):
        config = service.config.with_players(judge=judge)
        _, flown = await try_canaries(config, RubricSelection((), whole.rubrics), given_up=ignore)
        lines += [line for rubric, found in flown.items() for line in canary_lines(judge, rubric, found)]
    return page(request, "judge.html", **await _facts(service, batch), canaries=lines)


def _require_models(service: AppState, batch: Batch) -> None:
    """Raise `RequestError` unless this server may call all judges of a batch."""
    if others := set(judges_of(batch.who.judge)) - {*service.allowed.models, *service.allowed.chosen}:
        raise RequestError(403, f"this server may not call the judge {sorted(others)[0]}")


async def _facts(service: AppState, batch: Batch) -> dict[str, Any]:
    judge, store = batch.who.judge, service.store
    if judge in ("", NO_JUDGE):
        raise RequestError(404, f"batch {batch.id} has no judge")
    known = [each for each in await store.calibrations(judge) if each.batch == batch.id]
    void = ConversationQuery(outcomes=(Outcome.VOID,))
    _, rows = await store.search(batch.id, void, offset=0, limit=max((await store.progress(batch.id)).stored, 1))
    labelled = {
        each.conversation for each in await labels_of(batch, store) if each.blind and each.outcome != "undecided"
    }
    return {
        "batch": batch,
        "labels": len(labelled - {each.conversation for each in rows}),
        "trouble": await uncalibrated(batch, store),
        "calibrations": [list(calibration_text(each)) for each in known],
        "calls": all(map(is_model, judges_of(judge)))
        and set(judges_of(judge)) <= {*service.allowed.models, *service.allowed.chosen},
    }
