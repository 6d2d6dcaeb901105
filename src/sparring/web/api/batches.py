"""REST routes for batches, from launch to deletion.

Also holds the dependencies that these routes share with the event stream and the pages.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, GetJsonSchemaHandler
from pydantic_core import PydanticKnownError

from sparring.app.audit import agreement_on_blame
from sparring.app.label import Label, label, labels_of
from sparring.app.launch import conversations_to_retry
from sparring.app.listing import stored_statistics
from sparring.app.report import result_content
from sparring.app.results import all_checks, batch_status, costs_of, iter_results, placed_result, result_page
from sparring.app.retention import forget
from sparring.app.stores import run_id
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.verdict import Verdict
from sparring.reports import service_results
from sparring.reports.formats import ReportFormat, find, formats
from sparring.reports.scores import score_intervals
from sparring.reports.service_results import BatchStatus, Cost, Status, cost
from sparring.reports.service_summary import BatchSummary, Counting
from sparring.store.store import ConversationFilter, Store
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError, error_responses, json_response, refusing
from sparring.web.api.openapi import LAUNCH
from sparring.web.batch_names import named
from sparring.web.schemas import (
    BatchList,
    ConversationDetail,
    ConversationPage,
    Labels,
    LaunchResponse,
    ScenarioResults,
)
from sparring.web.security.access import Access, Caller

router = APIRouter(prefix="/api/batches", tags=["batches"])

_PAGE = 200
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}", re.ASCII)
ULID = "^[0-9A-HJKMNP-TV-Z]{26}$"


@dataclass(frozen=True)
class FormatNames:
    """Accepts and describes the names of the installed formats that are `wanted`."""

    wanted: Callable[[ReportFormat], bool]

    def __call__(self, name: str) -> str:
        """Return the name if it is one of them."""
        if name not in (known := self._known()):
            expected = " or ".join(filter(None, (", ".join(map(repr, known[:-1])), repr(known[-1]))))
            raise PydanticKnownError("literal_error", {"expected": expected})
        return name

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "enum": self._known()}

    def _known(self) -> list[str]:
        return [each.name for each in formats() if self.wanted(each)]


_OF_RESULTS = FormatNames(lambda each: each.results is not None)
FormatName = Annotated[
    str, AfterValidator(_OF_RESULTS), _OF_RESULTS, Query(description="An installed format of result rows.")
]


def _written(moment: object) -> object:
    if not isinstance(moment, str) or not _MOMENT.match(moment):
        raise ValueError("should be a date and a time, as in 2026-03-02T09:00:00Z")
    return moment


Moment = Annotated[AwareDatetime, BeforeValidator(_written)]


def app_state(request: Request) -> AppState:
    """Return the state of the app."""
    return cast(AppState, request.app.state.service)


BATCH_REF = "Batch: its id, its name, `NAME@RUN` or `latest`; in a path, `/` in a name is `%2F`."


async def find_batch(id: Annotated[str, Path(max_length=500, description=BATCH_REF)], request: Request) -> Batch:
    """Return the batch in the route, without its cases. Respond 404 if it does not exist."""
    return await stored_batch(app_state(request), named(id))


async def stored_batch(service: AppState, which: str) -> Batch:
    """Return a batch by its id or name, without its cases. Raise `RequestError` if it does not exist."""
    with refusing(404, f"batch {which} not found"):
        return await service.store.head(await run_id(which, service.store))


async def find_conversation(service: AppState, batch: Batch, id: str) -> Conversation:
    """Return a conversation of a batch. Raise `RequestError` if it does not exist."""
    with refusing(404, f"conversation not found in batch {batch.id}"):
        return await service.store.conversation(batch.id, id)


@dataclass(frozen=True)
class EventListener:
    """A caller that receives an event stream."""

    caller: Caller
    access: Access

    def may_listen(self) -> bool:
        """Return True if the caller's access is still valid."""
        return self.access.is_valid(self.caller)


def event_listener(request: Request) -> EventListener:
    """Return the caller of an event stream."""
    return EventListener(request.scope["caller"], request.app.state.access)


Service = Annotated[AppState, Depends(app_state)]
CurrentListener = Annotated[EventListener, Depends(event_listener)]
StoredBatch = Annotated[Batch, Depends(find_batch)]
Partial = Annotated[bool, Query(description="Return results of a batch that is not completed.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Page size.")]


@router.post(
    "", status_code=201, response_model=LaunchResponse, responses=error_responses(403, 415, 429), openapi_extra=LAUNCH
)
async def launch(request: Request, service: Service) -> Response:
    """Launch a batch from a list of scenarios, or from an object with `scenarios` and options.

    The batch is stored before the response.
    """
    require_json(request)
    check_batch_limit(service)
    plan, config = await service.launch_request(await request.body())
    check_batch_limit(service)
    batch = await service.background.launch(plan, config)
    launched = LaunchResponse(
        batch_id=batch.id,
        total_scenarios=batch.planned,
        prompt_version=plan.prompt_version,
        chatbot=plan.choice.chatbot,
        seed=batch.seed,
    )
    return json_response(launched, 201)


@router.get("", response_model=BatchList, responses=error_responses())
async def batches(
    service: Service,
    limit: Limit = 100,
    before: Annotated[str, Query(pattern=f"{ULID}|^$", description="`next` of the previous page.")] = "",
    status: Annotated[list[Status] | None, Query(description="Only batches in this state; repeatable.")] = None,
    tag: Annotated[str, Query(max_length=200, description="Only batches with this tag.")] = "",
    name: Annotated[str, Query(max_length=200, description="Only batches with this name.")] = "",
    since: Annotated[Moment | None, Query(description="Only batches created at this time or later.")] = None,
) -> Response:
    """List batches, newest first. `total_count` counts all of them."""
    found: list[BatchStatus] = []
    async for batch in _newest(service.store, before):
        if since is not None and batch.created < since:
            break
        if (name and batch.name != name) or (tag and tag not in batch.tags):
            continue
        with suppress(InputError):  # deleted meanwhile
            now = await batch_status(service.store, batch)
            found += [now] if not status or now.status in status else []
        if len(found) > limit:
            break
    more = found[limit - 1].batch_id if len(found) > limit else None
    return json_response(BatchList(batches=tuple(found[:limit]), total_count=await service.store.count(), next=more))


async def _newest(store: Store, before: str) -> AsyncIterator[Batch]:
    """Yield all batches before this one, newest first, without their cases."""
    while page := await store.batches(limit=_PAGE, before=before):
        for batch in page:
            yield batch
        before = page[-1].id


@router.get("/{id}", response_model=BatchStatus, responses=error_responses(404))
async def batch(service: Service, batch: StoredBatch) -> Response:
    """Return the status and progress of a batch."""
    return json_response(await batch_status(service.store, batch))


@router.get("/{id}/results", response_model=ScenarioResults, responses=error_responses(404))
async def batch_results(
    service: Service,
    batch: StoredBatch,
    format: FormatName = "json",
    partial: Partial = False,
    transcripts: Annotated[bool, Query(description="Include messages, if the format has room for them.")] = False,
) -> Response:
    """Return the result of every scenario of a completed batch."""
    await _completed_status(service, batch, partial)
    chosen = find(format)
    content = await result_content(batch, service.store, chosen, now=service.clock.now(), transcripts=transcripts)
    name = f"batch_{batch.id}_results{chosen.suffixes[0]}"
    headers = {} if format == "json" else {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(content, headers=headers, media_type=chosen.media_type)


@router.get("/{id}/summary", response_model=BatchSummary, responses=error_responses(404))
async def summary(service: Service, batch: StoredBatch, partial: Partial = False) -> Response:
    """A batch in numbers, when it is completed."""
    now = await _completed_status(service, batch, partial)
    counting, whole = Counting(), await service.store.batch(batch.id)
    scores: defaultdict[str, list[float | None]] = defaultdict(list)
    async for each in iter_results(service.store, whole):
        counting.add(each)
        if each.evaluation_status != "not_evaluated":
            scores[whole.cases[each.scenario_index].id].append(each.score)
    found = counting.summary(batch.id, now.total_scenarios, service.clock.now())
    added = {
        "statistics": await stored_statistics(batch, service.store),
        "score_intervals": score_intervals(whole, scores),
    }
    return json_response(found.model_copy(update=added))


@router.get("/{id}/cost", response_model=Cost, responses=error_responses(404))
async def batch_cost(service: Service, batch: StoredBatch) -> Response:
    """Return the cost of a batch so far, including conversations that could not be stored."""
    costs = await costs_of(batch, service.store, service.config.llm.prices, dearest=0)
    return json_response(cost(costs, service.clock.now()))


@router.get("/{id}/conversations", response_model=ConversationPage, responses=error_responses(404))
async def conversations(
    service: Service,
    batch: StoredBatch,
    limit: Limit = 100,
    after: Annotated[str, Query(max_length=500, description="`next` of the previous page.")] = "",
    ending: Annotated[
        list[Ending] | None, Query(description="Only conversations with this ending; repeatable.")
    ] = None,
    counts: Annotated[bool | None, Query(description="false: only void and crashed ones; true: all others.")] = None,
    tag: Annotated[str, Query(max_length=200, description="Only conversations with this tag.")] = "",
    case: Annotated[str, Query(max_length=500, description="Only cases whose id starts with this text.")] = "",
) -> Response:
    """List the stored conversations of a batch, one page at a time."""
    wanted = ConversationFilter(endings=tuple(ending or ()), counts=counts, tag=tag, case=case)
    page = await result_page(service.store, batch, wanted=wanted, after=after, limit=limit + 1)
    more = page[limit - 1].conversation_id if len(page) > limit else None
    return json_response(ConversationPage(conversations=tuple(page[:limit]), next=more))


@router.get(
    "/{id}/conversations/{conversation:path}", response_model=ConversationDetail, responses=error_responses(404)
)
async def conversation(
    service: Service, batch: StoredBatch, conversation: Annotated[str, Path(min_length=1, max_length=500)]
) -> Response:
    """Return one conversation with its result, its verdicts, and the full stored record."""
    found = await find_conversation(service, batch, conversation)
    position, verdicts = await placed_result(batch, service.store, found)
    return json_response(
        ConversationDetail(
            result=service_results.scenario_result(position, verdicts.reported(found), transcript=True),
            verdicts=tuple(all_checks(verdicts)),
            conversation=found,
        )
    )


@router.post(
    "/{id}/labels",
    status_code=201,
    response_model=Verdict,
    responses=error_responses(403, 404, 415),
)
async def add_label(request: Request, service: Service, batch: StoredBatch, given: Label) -> Response:
    """Store a person's label on a conversation, replacing an earlier one. It changes no outcome."""
    require_json(request)
    found = await find_conversation(service, batch, given.conversation)
    with refusing(400):
        (verdict,) = await label(batch, service.store, [given.changed(conversation=found.id)], service.clock.now())
    return json_response(verdict, status=201)


@router.get("/{id}/labels", response_model=Labels, responses=error_responses(404))
async def labels(service: Service, batch: StoredBatch) -> Response:
    """Return the labels of a batch, and how often the audit blames the same party."""
    whole = await service.store.batch(batch.id)
    agreement = await agreement_on_blame(whole, service.store)
    return json_response(Labels(labels=tuple(await labels_of(batch, service.store)), agreement=agreement))


@router.post("/{id}/cancel", response_model=BatchStatus, responses=error_responses(403, 404, 409))
async def cancel(service: Service, batch: StoredBatch) -> Response:
    """Cancel a batch immediately.

    Running conversations are discarded, stored ones are kept, and the batch can be resumed.
    """
    if service.background.plays(batch.id):
        await service.background.cancel(batch.id)
        return json_response(await batch_status(service.store, batch))
    now = await batch_status(service.store, batch)
    if now.status is not Status.CANCELLED:
        raise RequestError(409, "the batch is not running on this server", current=now.status)
    return json_response(now)


@router.post("/{id}/resume", response_model=BatchStatus, responses=error_responses(403, 404, 409, 429))
async def resume(service: Service, batch: StoredBatch) -> Response:
    """Resume a batch that was cancelled or stopped early. Stored conversations are not run again."""
    now = await batch_status(service.store, batch)
    if now.status is Status.COMPLETED:
        raise RequestError(409, "nothing left to run: the batch is completed", current=now.status)
    await resume_batch(service, batch, now)
    return json_response(await batch_status(service.store, batch))


@router.post("/{id}/retry", response_model=BatchStatus, responses=error_responses(403, 404, 409, 429))
async def retry(service: Service, batch: StoredBatch) -> Response:
    """Retry void and crashed conversations, such as those that timed out, and run those that are left.

    Earlier attempts are kept; all other conversations are not changed.
    """
    await retry_failed(service, batch)
    return json_response(await batch_status(service.store, batch))


@router.delete("/{id}", status_code=204, responses=error_responses(403, 404, 409))
async def delete(request: Request, service: Service, batch: StoredBatch) -> Response:
    """Delete a batch, by its id, with its conversations and logs. Cancel a running batch first."""
    if request.path_params["id"] != batch.id:
        raise RequestError(409, f"delete a batch by its id, {batch.id}")
    if service.background.plays(batch.id):
        now = await batch_status(service.store, batch)
        raise RequestError(409, "the batch is running: cancel it first", current=now.status)
    with refusing(409):
        await forget(service.store, batch.id, service.config.output.logs)
    return Response(status_code=204)


async def retry_failed(service: AppState, batch: Batch) -> None:
    """Retry void and crashed conversations.

    Raise `RequestError` if there are none or the batch cannot be resumed.
    """
    now = await batch_status(service.store, batch)
    if service.background.plays(batch.id):
        raise RequestError(409, "the batch is still running: wait until it ends", current=now.status)
    if not await conversations_to_retry(batch.id, service.store):
        raise RequestError(409, "nothing to retry: the batch has no void or crashed conversation", current=now.status)
    await resume_batch(service, batch, now, retry_failed=True)


async def resume_batch(service: AppState, batch: Batch, now: BatchStatus, *, retry_failed: bool = False) -> None:
    """Run what a batch lacks, unless this server is already running it. Raise `RequestError` if it cannot."""
    if service.background.plays(batch.id):
        return
    check_batch_limit(service)
    if await service.store.is_played(batch.id):
        raise RequestError(409, "a command or another server plays the batch: stop it there", current=now.status)
    with refusing(409, current=now.status):
        await service.background.resume(batch.id, retry_failed=retry_failed)


def require_json(request: Request) -> None:
    """Reject a body that is not declared as JSON.

    Browsers let other sites post text without a CORS preflight.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RequestError(415, "unsupported content type: expected application/json")


def check_batch_limit(service: AppState) -> None:
    """Raise `RequestError` if the limit of running batches is reached."""
    if service.background.batches >= service.serve.max_batches:
        raise RequestError(429, f"limit reached: {service.background.batches} batches are running", retry=30)


async def _completed_status(service: AppState, batch: Batch, partial: bool) -> BatchStatus:
    """Return the status of the batch. Raise `RequestError` if it is not completed, unless `partial`."""
    now = await batch_status(service.store, batch)
    if now.status is not Status.COMPLETED and not partial:
        raise RequestError(400, "Batch not completed", current=now.status)
    return now
