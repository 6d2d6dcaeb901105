"""The routes of batches, under /api."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from sparring.app.results import costs_of, own_verdicts, rules_alone
from sparring.app.retention import forget
from sparring.app.service_results import place, result, results, status
from sparring.core.batch import Batch
from sparring.core.conversation import Ending
from sparring.core.errors import InputError
from sparring.reports import csv_report
from sparring.reports.service_results import BatchStatus, Cost, Status, cost
from sparring.reports.service_summary import BatchSummary, Counting
from sparring.store.store import ConversationFilter
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import Refusal, answer, refusals
from sparring.web.api.launch import plan_of
from sparring.web.api.openapi import LAUNCH
from sparring.web.schemas import BatchList, ConversationDetail, ConversationPage, LaunchResponse, Results
from sparring.web.security.access import Access, Caller

router = APIRouter(prefix="/api/batches", tags=["batches"])

ULID = "^[0-9A-HJKMNP-TV-Z]{26}$"
_FILES = {"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}
_AS_FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}, "application/x-ndjson": {"schema": {}}}}
}


def served(request: Request) -> AppState:
    """What the routes work with."""
    service: AppState = request.app.state.served
    return service


async def found(id: Annotated[str, Path(pattern=ULID)], request: Request) -> Batch:
    """The batch of a route, without its cases."""
    try:
        return await served(request).store.head(id)
    except InputError as error:
        raise Refusal(404, f"there is no batch {id}") from error


@dataclass(frozen=True)
class Listener:
    """Who listens."""

    caller: Caller
    access: Access

    def welcome(self) -> bool:
        """Whether they may still."""
        return self.access.knows(self.caller)


def listener(request: Request) -> Listener:
    """Who asks to listen."""
    return Listener(request.scope["caller"], request.app.state.access)


Service = Annotated[AppState, Depends(served)]
Listening = Annotated[Listener, Depends(listener)]
Found = Annotated[Batch, Depends(found)]
Partial = Annotated[bool, Query(description="Take what there is, though the batch is not completed.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many there are on a page.")]


@router.post(
    "", status_code=201, response_model=LaunchResponse, responses=refusals(403, 415, 429), openapi_extra=LAUNCH
)
async def launch(request: Request, service: Service) -> Response:
    """Launch a batch: a list of scenarios, or an object with `scenarios` and options. It is kept before the answer."""
    declared_as_json(request)
    make_room(service)
    body = await request.body()
    plan, settings = await plan_of(body, service.offer, service.settings, service.clock, service.store)
    make_room(service)
    batch = await service.background.launch(plan, settings)
    launched = LaunchResponse(
        batch_id=batch.id,
        total_scenarios=batch.planned,
        prompt_version=plan.prompt_version,
        chatbot=plan.choice.chatbot,
        seed=batch.seed,
    )
    return answer(launched, 201)


@router.get("", response_model=BatchList, responses=refusals())
async def batches(
    service: Service,
    limit: Limit = 100,
    before: Annotated[str, Query(pattern=f"{ULID}|^$", description="Where the last page stopped: its `next`.")] = "",
) -> Response:
    """All batches, the newest first."""
    page = await service.store.batches(limit=limit + 1, before=before)
    told = []
    for batch in page[:limit]:
        with suppress(InputError):  # it was deleted in between
            told.append(await status(service.store, batch))
    more = page[limit - 1].id if len(page) > limit else None
    return answer(BatchList(batches=tuple(told), total_count=await service.store.count(), next=more))


@router.get("/{id}", response_model=BatchStatus, responses=refusals(404))
async def batch(service: Service, batch: Found) -> Response:
    """How far a batch is."""
    return answer(await status(service.store, batch))


@router.get("/{id}/results", response_model=Results, responses={**refusals(404), **_AS_FILES})
async def batch_results(
    service: Service,
    batch: Found,
    format: Annotated[Literal["json", "csv", "ndjson"], Query(description="json, csv or ndjson.")] = "json",
    partial: Partial = False,
    transcripts: Annotated[bool, Query(description="With what was said, in json and ndjson.")] = False,
) -> Response:
    """What became of every scenario, when the batch is completed."""
    now = await _ready(service, batch, partial)
    rows = results(service.store, await service.store.batch(batch.id), transcripts=transcripts)
    if format == "json":
        return StreamingResponse(csv_report.as_json(batch.id, rows), media_type="application/json")
    if format == "csv":
        content: AsyncIterator[bytes] = csv_report.as_csv(rows, now.prompt_version)
    else:
        content = csv_report.as_ndjson(batch.id, rows, service.clock.now())
    headers = {"content-disposition": f'attachment; filename="batch_{batch.id}_results.{format}"'}
    return StreamingResponse(content, headers=headers, media_type=_FILES[format])


@router.get("/{id}/summary", response_model=BatchSummary, responses=refusals(404))
async def summary(service: Service, batch: Found, partial: Partial = False) -> Response:
    """A batch in numbers, when it is completed."""
    now = await _ready(service, batch, partial)
    counting = Counting()
    async for each in results(service.store, await service.store.batch(batch.id)):
        counting.add(each)
    return answer(counting.summary(batch.id, now.total_scenarios, service.clock.now()))


@router.get("/{id}/cost", response_model=Cost, responses=refusals(404))
async def batch_cost(service: Service, batch: Found) -> Response:
    """What a batch cost so far, also for conversations of which nothing is kept."""
    costs = await costs_of(await service.store.batch(batch.id), service.store, service.settings.prices)
    return answer(cost(costs, service.clock.now()))


@router.get("/{id}/conversations", response_model=ConversationPage, responses=refusals(404))
async def conversations(
    service: Service,
    batch: Found,
    limit: Limit = 100,
    after: Annotated[str, Query(max_length=500, description="Where the last page stopped: its `next`.")] = "",
    ending: Annotated[list[Ending] | None, Query(description="Only those that ended so; may be repeated.")] = None,
    counts: Annotated[bool | None, Query(description="Only those that say something of the chatbot, or not.")] = None,
    tag: Annotated[str, Query(max_length=200, description="Only those with this tag.")] = "",
    case: Annotated[str, Query(max_length=500, description="Only those whose case's id begins so.")] = "",
) -> Response:
    """The conversations that are stored, a page at a time."""
    wanted = ConversationFilter(endings=tuple(ending or ()), counts=counts, tag=tag, case=case)
    whole = await service.store.batch(batch.id)
    page = [each async for each in results(service.store, whole, wanted=wanted, after=after, limit=limit + 1)]
    more = page[limit - 1].conversation_id if len(page) > limit else None
    return answer(ConversationPage(conversations=tuple(page[:limit]), next=more))


@router.get("/{id}/conversations/{conversation:path}", response_model=ConversationDetail, responses=refusals(404))
async def conversation(
    service: Service, batch: Found, conversation: Annotated[str, Path(min_length=1, max_length=500)]
) -> Response:
    """One conversation: what was said, what was found about it alone, and all that is kept of it."""
    try:
        told = await service.store.conversation(batch.id, conversation)
    except InputError as error:
        raise Refusal(404, f"there is no such conversation in batch {batch.id}") from error
    whole = await service.store.batch(batch.id)
    said = [verdict async for verdict in service.store.verdicts(batch.id, conversation=told.id)]
    return answer(
        ConversationDetail(
            result=await result(whole, place(whole, told), told, said, transcript=True),
            verdicts=(*await own_verdicts(whole, told, said), *(await rules_alone(whole, [told])).get(told.id, ())),
            conversation=told,
        )
    )


@router.post("/{id}/cancel", response_model=BatchStatus, responses=refusals(403, 404, 409))
async def cancel(service: Service, batch: Found) -> Response:
    """Stop a batch at once. Conversations under way are dropped; what is stored stays, and it can be resumed."""
    if service.background.plays(batch.id):
        await service.background.cancel(batch.id)
        return answer(await status(service.store, batch))
    now = await status(service.store, batch)
    if now.status is not Status.CANCELLED:
        raise Refusal(409, "this batch is not under way here", current=now.status)
    return answer(now)


@router.post("/{id}/resume", response_model=BatchStatus, responses=refusals(403, 404, 409, 429))
async def resume(service: Service, batch: Found) -> Response:
    """Go on with a batch that was cancelled or given up: what is stored is not run again."""
    now = await status(service.store, batch)
    if now.status is Status.COMPLETED:
        raise Refusal(409, "there is nothing left to run", current=now.status)
    if not service.background.plays(batch.id):
        make_room(service)
        try:
            await service.background.resume(batch.id)
        except InputError as error:
            raise Refusal(409, str(error), current=now.status) from error
    return answer(await status(service.store, batch))


@router.post("/{id}/retry", response_model=BatchStatus, responses=refusals(403, 404, 409, 429))
async def retry(service: Service, batch: Found) -> Response:
    """Hold the conversations again that do not count, such as those that failed or timed out, and what is left. Earlier
    attempts are kept besides, and what counts is not touched.
    """
    await hold_again(service, batch)
    return answer(await status(service.store, batch))


@router.delete("/{id}", status_code=204, responses=refusals(403, 404, 409))
async def delete(service: Service, batch: Found) -> Response:
    """Forget a batch, all that was said in it, and its logs; one that is under way has to be cancelled first."""
    if service.background.plays(batch.id):
        now = await status(service.store, batch)
        raise Refusal(409, "this batch is under way: cancel it first", current=now.status)
    try:
        await forget(service.store, batch.id, service.settings.logs)
    except InputError as error:
        raise Refusal(409, str(error)) from error
    return Response(status_code=204)


async def hold_again(service: AppState, batch: Batch) -> None:
    """Hold what does not count again; a Refusal where there is nothing of the kind, or it cannot be done."""
    now = await status(service.store, batch)
    if service.background.plays(batch.id):
        raise Refusal(409, "this batch is under way: wait until it ends", current=now.status)
    if not now.failed_scenarios:
        raise Refusal(409, "every conversation of this batch counts", current=now.status)
    make_room(service)
    try:
        await service.background.resume(batch.id, retry_failed=True)
    except InputError as error:
        raise Refusal(409, str(error), current=now.status) from error


def declared_as_json(request: Request) -> None:
    """Refuse a body that is not said to be JSON: a page of another site can send text, and nobody asks it first."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "the body has to be application/json")


def make_room(service: AppState) -> None:
    """Refuse a batch more than the operator allows."""
    if service.background.batches >= service.settings.serve.batches:
        raise Refusal(429, f"{service.background.batches} batches are under way, and no more may be", retry=30)


async def _ready(service: AppState, batch: Batch, partial: bool) -> BatchStatus:
    """How far the batch is, unless there is nothing to tell yet."""
    now = await status(service.store, batch)
    if now.status is not Status.COMPLETED and not partial:
        raise Refusal(400, "Batch not completed", current=now.status)
    return now
