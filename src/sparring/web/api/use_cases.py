"""REST routes of commands about batches and scenarios. Each answers as its command does."""

import asyncio
from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import AfterValidator, Field, NonNegativeInt

from sparring.app.check import check_stored
from sparring.app.compare import accept, compare_stored
from sparring.app.execution import inputs_of
from sparring.app.launch import next_run_of, rerun_of
from sparring.app.listing import trend
from sparring.app.plan import planned_batch
from sparring.app.plan_document import plan_json
from sparring.app.report import report, written_report
from sparring.app.results import batch_status
from sparring.core.batch import Batch
from sparring.core.checks import Attempts, Gate
from sparring.core.errors import InputError
from sparring.core.value import Value
from sparring.judges.rubric_files import built_in
from sparring.reports.formats import find, formats
from sparring.reports.gate import gate_json
from sparring.reports.json_report import comparison_json, findings_json
from sparring.reports.service_results import BatchStatus
from sparring.rules.limits import EvaluationLimits
from sparring.rules.rule_file import require_active_rule
from sparring.web.api.batches import (
    BATCH_REF,
    FormatNames,
    Service,
    StoredBatch,
    check_batch_limit,
    require_json,
    stored_batch,
)
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError, error_responses, json_response, refusing
from sparring.web.api.launch import RuleText, rules_of
from sparring.web.api.openapi import LAUNCH
from sparring.web.schemas import document_model, document_response

router = APIRouter(prefix="/api", tags=["use cases"])

Which = Annotated[str, Query(min_length=1, max_length=200, description=BATCH_REF)]
Name = Annotated[str, Query(min_length=1, max_length=200, description="Name that the batches have.")]
MAX_REPORTED = 5_000
"""Most conversations in a report from the server; larger reports would occupy it for too long."""

_OF_BATCHES = FormatNames(lambda each: each.batch is not None)
ReportName = Annotated[
    str, AfterValidator(_OF_BATCHES), _OF_BATCHES, Query(description="An installed format of reports.")
]
_MOST = 200


class ServiceOptions(Value):
    """Names that requests may use, by kind; the first is the default."""

    chatbots: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    rubrics: tuple[str, ...]
    formats: tuple[str, ...]


class CheckRequest(Value):
    """Rules to check: `rules` are the texts of rule files, `rule` are expressions."""

    rules: tuple[RuleText, ...] = Field((), max_length=_MOST)
    rule: tuple[RuleText, ...] = Field((), max_length=_MOST)
    examples: NonNegativeInt = Field(10, le=1000)
    inactive: bool = False


class Validation(Value):
    """The ids of the cases of a valid launch request, and the number of conversations."""

    cases: tuple[str, ...]
    conversations: NonNegativeInt


@router.get("/options", response_model=ServiceOptions, responses=error_responses())
async def options(service: Service) -> Response:
    """Return what requests may name: chatbots, models, judges, rubrics and formats."""
    return json_response(
        ServiceOptions(
            chatbots=service.allowed.chatbots,
            models=service.allowed.models,
            judges=service.judges,
            rubrics=tuple(built_in()),
            formats=tuple(each.name for each in formats() if each.results),
        )
    )


@router.get("/compare", response_model=document_model("comparison"), responses=error_responses(404))
async def compare_batches(service: Service, before: Which, after: Which, attempts: Attempts = "first") -> Response:
    """Compare two batches, as `sparring compare` does."""
    one, other = [await stored_batch(service, each) for each in (before, after)]
    found = await compare_stored(one, other, service.store, attempts=attempts)
    return document_response("comparison", comparison_json(found))


@router.get("/trend", response_model=document_model("trend"), responses=error_responses(404))
async def show_trend(service: Service, name: Name) -> Response:
    """Return the batches of a name, oldest first, as `sparring trend` does."""
    with refusing(404):
        points = await trend(name, service.store)
    return document_response("trend", {"name": name, "batches": [point.model_dump(mode="json") for point in points]})


@router.get("/batches/{id}/gate", response_model=document_model("gate"), responses=error_responses(404, 409))
async def gate(service: Service, batch: StoredBatch) -> Response:
    """Check a batch against the thresholds in the server's `sparring.yaml`, as `sparring gate` does."""
    now = await batch_status(service.store, batch)
    if not now.status.final:
        raise RequestError(409, "the batch is still running: wait until it ends", current=now.status)
    made = await report(batch, service.store, gate=service.config.gate or Gate())
    assert made.gated is not None, "there is a gate"
    return document_response("gate", gate_json(made.gated))


@router.post(
    "/batches/{id}/accept", response_model=document_model("accepted"), responses=error_responses(403, 404, 409)
)
async def accept_batch(service: Service, batch: StoredBatch) -> Response:
    """Accept a batch as the baseline of the series with its name, as `sparring accept` does."""
    if service.background.plays(batch.id):
        raise RequestError(409, "the batch is still running: wait until it ends")
    await accept(batch, service.store)
    return document_response("accepted", {"batch": batch.id, "name": batch.name})


@router.get("/batches/{id}/report", responses=error_responses(404, 409))
async def batch_report(service: Service, batch: StoredBatch, format: ReportName = "html") -> Response:
    """Return a batch as one file, as `sparring report --format` writes it."""
    if (await service.store.progress(batch.id)).stored > MAX_REPORTED:
        reason = f"too many conversations for a download (more than {MAX_REPORTED:,})"
        raise RequestError(409, f"{reason}: use sparring report {batch.id} --format {format}")
    chosen, store = find(format), service.store
    now, gate = service.clock.now(), service.config.gate

    async def content() -> bytes:
        _, (chunks,) = await written_report(batch, store, [chosen], now=now, gate=gate)
        return b"".join([chunk async for chunk in chunks])

    name = f"sparring-{batch.id}{chosen.suffixes[0]}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(await service.background_cache.run_uncached(content), headers=headers, media_type=chosen.media_type)


@router.post(
    "/batches/{id}/check",
    response_model=document_model("findings"),
    responses=error_responses(403, 404, 415),
    dependencies=[Depends(require_json)],
)
async def check(service: Service, batch: StoredBatch, wanted: CheckRequest) -> Response:
    """Check rules over the conversations of a batch, as `sparring check` does."""
    rules = rules_of(wanted.rules, wanted.rule)
    if not rules:
        raise InputError("there are no rules to check", hint='{"rule": ["turns() < 12"]}')
    rules = tuple(each.model_copy(update={"active": True}) for each in rules) if wanted.inactive else rules
    require_active_rule(rules)
    given_up: list[str] = []
    limits = EvaluationLimits(examples=wanted.examples)
    findings, _ = await check_stored(
        rules, batch, service.store, service.config, limits=limits, given_up=given_up.append
    )
    if not findings.conversations:
        raise RequestError(400, f"{batch.id} holds no conversations")
    return document_response("findings", findings_json(findings))


class RerunRequest(Value):
    """Conversations or cases to rerun, by default all that did not pass."""

    case: tuple[Annotated[str, Field(max_length=2000)], ...] = Field((), max_length=10_000)


@router.post(
    "/batches/{id}/rerun",
    status_code=201,
    response_model=BatchStatus,
    responses=error_responses(403, 404, 409, 415, 429),
    dependencies=[Depends(require_json)],
)
async def rerun(service: Service, batch: StoredBatch, wanted: RerunRequest) -> Response:
    """Run conversations of a batch again, as `sparring rerun` does: a new batch with the same seeds."""
    new = await rerun_batch(service, batch.id, wanted.case)
    return json_response(await batch_status(service.store, new), 201)


async def rerun_batch(service: AppState, id: str, conversations: Collection[str]) -> Batch:
    """Run conversations or cases of a batch again, by default all that did not pass, as a new batch."""
    if service.background.plays(id):
        raise RequestError(409, "the batch is still running: wait until it ends")
    check_batch_limit(service)
    return await _begun(service, await rerun_of(await service.store.batch(id), service.store, conversations))


async def run_again(service: AppState, id: str) -> Batch:
    """Run everything that a batch planned again, as the next run of its name."""
    check_batch_limit(service)
    return await _begun(service, next_run_of(await service.store.batch(id)))


async def _begun(service: AppState, new: Batch) -> Batch:
    service.allowed.permit(inputs_of(new).choice)
    await service.store.create(new)
    try:
        await service.background.resume(new.id)
    except BaseException:
        await service.store.delete(new.id)
        raise
    return new


@router.post(
    "/validate",
    response_model=Validation,
    responses=error_responses(403, 415),
    dependencies=[Depends(require_json)],
    openapi_extra=LAUNCH,
)
async def validate_scenarios(request: Request, service: Service) -> Response:
    """Validate a launch request without launching it. One with problems is refused with all of them."""
    plan, _ = await service.launch_request(await request.body())
    cases, ids, repeats = list(plan.cases), list[str](), plan.repeats
    del plan
    while cases:  # piece by piece: freeing all of a large request at once would stop the server
        ids += [case.id for case in cases[:_MOST]]
        del cases[:_MOST]
        await asyncio.sleep(0)
    return json_response(Validation(cases=tuple(ids), conversations=len(ids) * repeats))


@router.post(
    "/plan",
    response_model=document_model("plan"),
    responses=error_responses(403, 415),
    dependencies=[Depends(require_json)],
    openapi_extra=LAUNCH,
)
async def plan_batch(request: Request, service: Service) -> Response:
    """Estimate a launch request, as `sparring plan` does: cases, players, calls, tokens and cost."""
    plan, config = await service.launch_request(await request.body())
    return document_response("plan", plan_json(await planned_batch(plan, config)))
