"""The page of a batch's judge: its calibration, the stability of its verdicts, and canaries."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from sparring.app.calibrate import calibrate, uncalibrated
from sparring.app.judge import try_canaries
from sparring.app.label import labels_of
from sparring.app.rubrics import RubricSelection
from sparring.app.wiring import is_model
from sparring.core.batch import NO_JUDGE, Batch, judges_of
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.judges.injection_probes import canary_lines
from sparring.reports.calibration_text import calibration_text
from sparring.store.store import ignore
from sparring.web.api.batches import Service, StoredBatch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError, refusing
from sparring.web.rendering import page

router = APIRouter(prefix="/batches", include_in_schema=False)


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
