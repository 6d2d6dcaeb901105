"""REST routes of commands about batches and scenarios. Each answers as its command does."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field, NonNegativeInt

from sparring.app.check import check_rules
from sparring.app.compare import contender
from sparring.app.config import AppConfig
from sparring.app.judge import judge_batch
from sparring.app.launch import BatchPlan
from sparring.app.plan import planned
from sparring.app.plan_document import plan_json
from sparring.app.report import report
from sparring.app.results import summarize
from sparring.app.rubrics import RubricSelection, asked
from sparring.app.trend import trend
from sparring.core.batch import Batch
from sparring.core.checks import Attempts, Gate
from sparring.core.errors import InputError
from sparring.core.value import Value
from sparring.judges.rubric_files import built_in
from sparring.reports.comparing_batches import compare
from sparring.reports.formats import formats
from sparring.reports.gate import gate_json
from sparring.reports.json_report import comparison_json, findings_json, run_json
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording, recording_of
from sparring.rules.rule_file import require_active_rule
from sparring.scenarios.loading import LoadedScenarios
from sparring.store.store import Store
from sparring.web.api.batches import Service, StoredBatch, require_json
from sparring.web.api.dependencies import AppState
from sparring.web.api.documents import document_model, document_response
from sparring.web.api.errors import RequestError, error_responses, json_response, refusing
from sparring.web.api.launch import Label, RuleText, parse_launch, plain_judges, require_allowed, rules_of
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
    """A judge and bundled rubrics, by default those of the batch.

    `again` asks about judged conversations, too.
    """

    judge: Label | None = None
    rubric: tuple[Label, ...] = Field((), max_length=50)
    again: bool = False


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
    sides = [
        await contender(await _called(each, service.store), service.store, attempts=attempts)
        for each in (before, after)
    ]
    return document_response("comparison", comparison_json(compare(*sides)))


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
    if wanted.judge is not None:
        require_allowed("judge", wanted.judge, (*plain_judges(), *service.allowed.models))
    for name in wanted.rubric:
        require_allowed("rubric", name, built_in())
    if service.background.plays(batch.id):
        raise RequestError(409, "the batch is still running: wait until it ends")
    questions = asked((), wanted.rubric) if wanted.rubric else RubricSelection(())
    config = service.config.with_players(judge=wanted.judge or "")
    judged = await service.store.batch(batch.id)
    judging = judge_batch(judged, service.store, config, questions, again=wanted.again, given_up=lambda reason: None)
    async with aclosing(judging):
        async for each in judging:
            judged = each if isinstance(each, Batch) else judged
    return document_response("batch", run_json(await summarize(judged, service.store)))


@router.post(
    "/validate",
    response_model=Validation,
    responses=error_responses(403, 415),
    dependencies=[Depends(require_json)],
    openapi_extra=LAUNCH,
)
async def validate_scenarios(request: Request, service: Service) -> Response:
    """Validate a launch request without launching it. One with problems is refused with all of them."""
    plan, _ = await _parsed(request, service)
    cases = tuple(case.id for case in plan.cases)
    return json_response(Validation(cases=cases, conversations=len(cases) * plan.repeats))


@router.post(
    "/plan",
    response_model=document_model("plan"),
    responses=error_responses(403, 415),
    dependencies=[Depends(require_json)],
    openapi_extra=LAUNCH,
)
async def plan_batch(request: Request, service: Service) -> Response:
    """Estimate a launch request, as `sparring plan` does: cases, players, calls, tokens and cost."""
    plan, config = await _parsed(request, service)
    loaded = LoadedScenarios(plan.cases, max_cost=plan.max_cost)
    questions = RubricSelection(plan.cases, plan.rubrics, plan.case_rubrics)
    found = await planned(loaded, (), questions, config, repeats=plan.repeats, rules=plan.rules)
    return document_response("plan", plan_json(found))


async def _parsed(request: Request, service: AppState) -> tuple[BatchPlan, AppConfig]:
    most = service.serve.max_conversations
    return await parse_launch(await request.body(), service.allowed, service.config, most, service.clock, service.store)


async def _called(which: str, store: Store) -> Batch:
    with refusing(404, f"batch {which} not found"):
        return await store.batch(which)


async def _recordings(store: Store, batch: Batch) -> AsyncIterator[Recording]:
    async for conversation in store.conversations(batch.id):
        yield recording_of(conversation)
