"""REST routes of commands about batches and scenarios. Each answers as its command does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.app.audit import agreement_on_blame
from sparring.app.calibrate import calibrate
from sparring.app.check import check_rules
from sparring.app.compare import compare_stored
from sparring.app.execution import inputs_of
from sparring.app.judge import judge_batch
from sparring.app.label import Label as GivenLabel
from sparring.app.label import label, labels_of
from sparring.app.label_queue import label_queue
from sparring.app.launch import rerun_of
from sparring.app.plan import planned
from sparring.app.plan_document import plan_json
from sparring.app.prompt_library import chosen_prompts
from sparring.app.report import report
from sparring.app.results import summarize
from sparring.app.rubrics import RubricSelection, asked
from sparring.app.service_results import batch_status
from sparring.app.trend import trend
from sparring.core.batch import Batch, Decides, judges_of, panel
from sparring.core.checks import Attempts, Gate
from sparring.core.errors import InputError
from sparring.core.value import Json, Value
from sparring.judges.rubric_files import built_in
from sparring.reports.formats import formats
from sparring.reports.gate import gate_json
from sparring.reports.json_report import comparison_json, findings_json, run_json
from sparring.reports.service_results import BatchStatus
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording, recording_of
from sparring.rules.rule_file import require_active_rule
from sparring.scenarios.loading import LoadedScenarios
from sparring.store.store import Store
from sparring.web.api.batches import Service, StoredBatch, check_batch_limit, require_json
from sparring.web.api.documents import document_model, document_response
from sparring.web.api.errors import RequestError, error_responses, json_response, refusing
from sparring.web.api.launch import Label, RuleText, plain_judges, require_allowed, rules_of
from sparring.web.api.openapi import LAUNCH

router = APIRouter(prefix="/api", tags=["use cases"])

Which = Annotated[str, Query(min_length=1, max_length=200, description="Batch: its id, its name, or latest.")]
Name = Annotated[str, Query(min_length=1, max_length=200, description="Name that the batches have.")]
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


class JudgeRequest(Value):
    """A judge or a panel and bundled rubrics, by default those of the batch.

    `judge_prompts` is a saved version of its prompt, by name or hash. With `again`, judged conversations are judged
    once more; `repeat` is the number of judgements of each, and `decides` selects the judgement that decides the batch
    from then on.
    """

    judge: Label | None = Field(None, description="judge, or a panel joined by ` + `")
    rubric: tuple[Label, ...] = Field((), max_length=50)
    judge_prompts: Label | None = None
    again: bool = False
    repeat: int = Field(1, ge=1, le=100)
    decides: Decides | None = None


class Validation(Value):
    """The ids of the cases of a valid launch request, and the number of conversations."""

    cases: tuple[str, ...]
    conversations: NonNegativeInt


@router.get("/options", response_model=ServiceOptions, responses=error_responses())
async def options(service: Service) -> Response:
    """Return what requests may name: chatbots, models, judges, rubrics and formats."""
    judge = service.config.players.judge
    judges = dict.fromkeys([*([judge] if judge else []), *plain_judges(), *service.allowed.models])
    return json_response(
        ServiceOptions(
            chatbots=service.allowed.chatbots,
            models=service.allowed.models,
            judges=tuple(judges),
            rubrics=tuple(built_in()),
            formats=tuple(each.name for each in formats() if each.results),
        )
    )


@router.get("/compare", response_model=document_model("comparison"), responses=error_responses(404))
async def compare_batches(service: Service, before: Which, after: Which, attempts: Attempts = "first") -> Response:
    """Compare two batches, as `sparring compare` does."""
    one, other = [await _called(each, service.store) for each in (before, after)]
    found = await compare_stored(one, other, service.store, attempts=attempts)
    return document_response("comparison", comparison_json(found))


@router.get("/trend", response_model=document_model("trend"), responses=error_responses(404))
async def show_trend(service: Service, name: Name) -> Response:
    """Return the batches of a name, oldest first, as `sparring trend` does."""
    with refusing(404):
        points = await trend(name, service.store)
    return document_response("trend", {"name": name, "batches": [point.model_dump(mode="json") for point in points]})


@router.get("/batches/{id}/gate", response_model=document_model("gate"), responses=error_responses(404))
async def gate(service: Service, batch: StoredBatch) -> Response:
    """Check a batch against the thresholds in the server's `sparring.yaml`, as `sparring gate` does."""
    made = await report(batch, service.store, gate=service.config.gate or Gate())
    assert made.gated is not None, "there is a gate"
    return document_response("gate", gate_json(made.gated))


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
    recordings = _recordings(service.store, batch)
    findings, _ = await check_rules(rules, recordings, service.config, limits=limits, given_up=given_up.append)
    if not findings.conversations:
        raise RequestError(400, f"{batch.id} holds no conversations")
    return document_response("findings", findings_json(findings))


@router.post(
    "/batches/{id}/judge",
    response_model=document_model("batch"),
    responses=error_responses(403, 404, 409, 415),
    dependencies=[Depends(require_json)],
)
async def judge(service: Service, batch: StoredBatch, wanted: JudgeRequest) -> Response:
    """Judge the conversations of a batch, as `sparring judge` does, and answer when that is done."""
    for name in judges_of(wanted.judge) if wanted.judge is not None else ():
        require_allowed("judge", name, (*plain_judges(), *service.allowed.models))
    for name in wanted.rubric:
        require_allowed("rubric", name, built_in())
    if service.background.plays(batch.id):
        raise RequestError(409, "the batch is still running: wait until it ends")
    chosen = await chosen_prompts({"judge": wanted.judge_prompts or ""}, service.store)
    asks = wanted.rubric or chosen.judge
    questions = asked((), wanted.rubric, prompt=chosen.judge) if asks else RubricSelection(())
    config = service.config.with_players(judge=wanted.judge or "")
    judged = await service.store.batch(batch.id)
    judging = judge_batch(
        judged,
        service.store,
        config,
        questions,
        times=wanted.repeat,
        again=wanted.again,
        decides=wanted.decides,
        given_up=lambda reason: None,
    )
    async with aclosing(judging):
        async for each in judging:
            judged = each if isinstance(each, Batch) else judged
    return document_response("batch", run_json(await summarize(judged, service.store)))


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
    if service.background.plays(batch.id):
        raise RequestError(409, "the batch is still running: wait until it ends")
    check_batch_limit(service)
    new = await rerun_of(await service.store.batch(batch.id), service.store, wanted.case)
    service.allowed.permit(inputs_of(new).choice)
    await service.store.create(new)
    try:
        await service.background.resume(new.id)
    except BaseException:
        await service.store.delete(new.id)
        raise
    return json_response(await batch_status(service.store, new), 201)


class CalibrationRequest(Value):
    """A judge, or the members of a panel, and a rubric by name or hash; by default those of the batch.

    `probe` is the number of conversations that are judged again after irrelevant changes.
    """

    judge: tuple[Label, ...] = Field((), max_length=20)
    rubric: Label = ""
    probe: NonNegativeInt = Field(0, le=1000)


@router.post(
    "/batches/{id}/calibrate",
    response_model=document_model("calibration"),
    responses=error_responses(403, 404, 415),
    dependencies=[Depends(require_json)],
)
async def calibrate_judge(service: Service, batch: StoredBatch, wanted: CalibrationRequest) -> Response:
    """Compare a judge with the blind labels of a batch, as `sparring calibrate` does."""
    whole, judge = await service.store.batch(batch.id), panel(*wanted.judge)
    for name in judges_of(judge or whole.who.judge) if wanted.probe else ():
        require_allowed("judge", name, service.allowed.models)
    found = await calibrate(
        whole,
        service.store,
        service.config,
        service.clock.now(),
        judge=judge,
        rubric=wanted.rubric,
        probe=wanted.probe,
    )
    return document_response("calibration", {"calibration": found.model_dump(mode="json")})


class LabelQueue(Value):
    """Conversations sampled for people to label, in this order, each with the number that it stands for."""

    conversations: dict[str, NonNegativeFloat]


@router.get("/batches/{id}/label-queue", response_model=LabelQueue, responses=error_responses(404))
async def queue(
    service: Service,
    batch: StoredBatch,
    sample: Annotated[int, Query(ge=2, le=500)] = 50,
    seed: Annotated[int, Query(ge=0, le=2**53)] = 1,
) -> Response:
    """Sample conversations to label, as `sparring label --sample` does, without their outcomes."""
    whole = await service.store.batch(batch.id)
    return json_response(LabelQueue(conversations=await label_queue(whole, service.store, sample=sample, seed=seed)))


class LabelImport(Value):
    """Labels to store together: of all or of none."""

    labels: tuple[GivenLabel, ...] = Field(min_length=1, max_length=10_000)


@router.post(
    "/batches/{id}/labels/import",
    status_code=201,
    response_model=document_model("labels"),
    responses=error_responses(403, 404, 415),
    dependencies=[Depends(require_json)],
)
async def import_labels(service: Service, batch: StoredBatch, given: LabelImport) -> Response:
    """Store labels of people, as `sparring label --file` does, and return those of the batch."""
    whole = await service.store.batch(batch.id)
    await label(whole, service.store, given.labels, service.clock.now())
    kept = [each.model_dump(mode="json") for each in await labels_of(whole, service.store)]
    agreement = [each.model_dump(mode="json") for each in await agreement_on_blame(whole, service.store)]
    document: dict[str, Json] = {"batch": batch.id, "labels": [*kept], "agreement": [*agreement]}
    return document_response("labels", document, 201)


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
    loaded = LoadedScenarios(plan.cases, max_cost=plan.budget.cost)
    questions = RubricSelection(plan.cases, plan.rubrics, plan.case_rubrics)
    found = await planned(loaded, (), questions, config, repeats=plan.repeats, rules=plan.rules, prompts=plan.prompts)
    return document_response("plan", plan_json(found))


async def _called(which: str, store: Store) -> Batch:
    with refusing(404, f"batch {which} not found"):
        return await store.head(which)


async def _recordings(store: Store, batch: Batch) -> AsyncIterator[Recording]:
    async for conversation in store.conversations(batch.id):
        yield recording_of(conversation)
