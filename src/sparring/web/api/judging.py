"""REST routes about judges, labels and calibration. Each answers as its command does."""

from contextlib import aclosing
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.app.audit import agreement_on_blame
from sparring.app.calibrate import calibrate
from sparring.app.config import AppConfig
from sparring.app.judge import judge_batch, judge_by_hand, try_canaries
from sparring.app.label import Label as GivenLabel
from sparring.app.label import label, label_queue, labels_of
from sparring.app.prompt_library import chosen_prompts
from sparring.app.results import summarize
from sparring.app.rubrics import RubricSelection, asked
from sparring.core.batch import Batch, Decides, judges_of, panel
from sparring.core.value import Json, Value
from sparring.core.verdict import CheckOutcome
from sparring.judges.injection_probes import canaries_json
from sparring.judges.rubric_files import built_in
from sparring.reports.json_report import run_json
from sparring.store.store import ignore
from sparring.web.api.batches import Service, StoredBatch, find_conversation, require_json
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError, error_responses, json_response
from sparring.web.api.launch import Label, plain_judges, require_allowed
from sparring.web.schemas import document_model, document_response

router = APIRouter(prefix="/api", tags=["judges"])


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


@router.post(
    "/batches/{id}/judge",
    response_model=document_model("batch"),
    responses=error_responses(403, 404, 409, 415),
    dependencies=[Depends(require_json)],
)
async def judge(service: Service, batch: StoredBatch, wanted: JudgeRequest) -> Response:
    """Judge the conversations of a batch, as `sparring judge` does, and answer when that is done."""
    if service.background.plays(batch.id):
        raise RequestError(409, "the batch is still running: wait until it ends")
    config, questions = await _chosen(service, wanted)
    judged = await service.store.batch(batch.id)
    judging = judge_batch(
        judged,
        service.store,
        config,
        questions,
        times=wanted.repeat,
        again=wanted.again,
        decides=wanted.decides,
        given_up=ignore,
    )
    async with aclosing(judging):
        async for each in judging:
            judged = each if isinstance(each, Batch) else judged
    return document_response("batch", run_json(await summarize(judged, service.store)))


class HumanVerdict(Value):
    """A person's verdict on one conversation, which decides it; an earlier one is replaced."""

    conversation: Annotated[str, Field(max_length=2000)]
    outcome: Literal["pass", "fail"]
    score: int | None = Field(None, ge=0, le=100)
    comment: Annotated[str, Field(max_length=5000)] = ""


@router.post(
    "/batches/{id}/verdicts",
    status_code=201,
    response_model=document_model("verdict"),
    responses=error_responses(403, 404, 415),
    dependencies=[Depends(require_json)],
)
async def judge_one(service: Service, batch: StoredBatch, given: HumanVerdict) -> Response:
    """Store your own verdict on a conversation, as `sparring judge --human` does."""
    found, whole = await find_conversation(service, batch, given.conversation), await service.store.batch(batch.id)
    outcome = CheckOutcome(given.outcome)
    verdict = await judge_by_hand(whole, service.store, found.id, outcome, score=given.score, comment=given.comment)
    agreements = (await summarize(whole, service.store)).agreements
    document: dict[str, Json] = {"batch": batch.id, "verdict": verdict.model_dump(mode="json")}
    document["agreements"] = [each.model_dump(mode="json") for each in agreements]
    return document_response("verdict", document, 201)


class CanaryRequest(Value):
    """A judge and bundled rubrics, by default the server's judge and `general`.

    `judge_prompts` is a saved version of its prompt, by name or hash.
    """

    judge: Label | None = None
    rubric: tuple[Label, ...] = Field((), max_length=50)
    judge_prompts: Label | None = None


@router.post(
    "/canaries",
    response_model=document_model("canaries"),
    responses=error_responses(403, 415),
    dependencies=[Depends(require_json)],
)
async def canaries(service: Service, wanted: CanaryRequest) -> Response:
    """Test a judge with replies that try to talk it into a score, as `sparring judge --canaries` does."""
    config, questions = await _chosen(service, wanted)
    name, flown = await try_canaries(config, questions, given_up=ignore)
    return document_response("canaries", canaries_json(name, flown))


async def _chosen(service: AppState, wanted: JudgeRequest | CanaryRequest) -> tuple[AppConfig, RubricSelection]:
    """Return the configuration with the judge of a request, and its rubrics, if both are allowed."""
    for name in judges_of(wanted.judge) if wanted.judge is not None else ():
        require_allowed("judge", name, (*plain_judges(), *service.allowed.models))
    for name in wanted.rubric:
        require_allowed("rubric", name, built_in())
    chosen = await chosen_prompts({"judge": wanted.judge_prompts or ""}, service.store)
    asks = wanted.rubric or chosen.judge
    questions = asked((), wanted.rubric, prompt=chosen.judge) if asks else RubricSelection(())
    return service.config.with_players(judge=wanted.judge or ""), questions


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
