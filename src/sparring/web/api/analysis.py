"""REST routes of `audit`, `coverage` and `suggest`, which answer as their commands do."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from sparring.app.audit import agreement_on_blame, audits, audits_json
from sparring.app.coverage import coverage_json, coverage_of, suggested, suggestions_json
from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.value import Json
from sparring.web.api.batches import Service, StoredBatch, find_conversation
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError, error_responses
from sparring.web.api.use_cases import MAX_REPORTED
from sparring.web.schemas import document_model, document_response

router = APIRouter(prefix="/api/batches/{id}", tags=["analysis"])


@router.get("/audit", response_model=document_model("audit"), responses=error_responses(404, 409))
async def audit(
    service: Service,
    batch: StoredBatch,
    conversation: Annotated[str, Query(max_length=2000)] = "",
    blame: Annotated[Blame | Literal[""], Query(description="Party to blame.")] = "",
    kind: Annotated[str, Query(max_length=100, description="Kind of fault.")] = "",
) -> Response:
    """List the faults of simulated users, as `sparring audit` does."""
    await _require_countable(service, batch)
    id = (await find_conversation(service, batch, conversation)).id if conversation else ""

    async def found() -> dict[str, Json]:
        listed = audits(batch, service.store, conversation=id, blame=blame or None, kind=kind)
        return audits_json(batch, [each async for each in listed], await agreement_on_blame(batch, service.store))

    return document_response("audit", await service.background_cache.run_uncached(found))


@router.get("/coverage", response_model=document_model("coverage"), responses=error_responses(404, 409))
async def coverage(service: Service, batch: StoredBatch, ways: Annotated[int, Query(ge=1, le=4)] = 2) -> Response:
    """List what no conversation has tested, as `sparring coverage` does."""
    await _require_countable(service, batch)

    async def found() -> dict[str, Json]:
        whole = await service.store.batch(batch.id)
        return coverage_json([whole], await coverage_of([whole], service.store, service.config, ways=ways))

    return document_response("coverage", await service.background_cache.run_uncached(found))


@router.get("/suggest", response_model=document_model("suggestions"), responses=error_responses(404, 409))
async def suggest(
    service: Service, batch: StoredBatch, most: Annotated[int, Query(alias="max", ge=1, le=200)] = 10
) -> Response:
    """Suggest scenarios that close most gaps in the tests of a batch, as `sparring suggest` does."""
    await _require_countable(service, batch)

    async def found() -> dict[str, Json]:
        whole = await service.store.batch(batch.id)
        if whole.origin:
            service.allowed.permit(whole.origin.choice)
        return suggestions_json(whole, await suggested(whole, service.store, service.config, most=most))

    return document_response("suggestions", await service.background_cache.run_uncached(found))


async def _require_countable(service: AppState, batch: Batch) -> None:
    """Raise `RequestError` for a batch of more conversations than a request may read."""
    if (await service.store.progress(batch.id)).stored > MAX_REPORTED:
        raise RequestError(409, f"too many conversations for a request (more than {MAX_REPORTED:,})")
