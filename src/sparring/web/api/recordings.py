"""REST routes of `import`, `read` and `promote`. Each answers as its command does."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import Field, PositiveInt

from sparring.app.config import AppConfig
from sparring.app.import_logs import import_logs, imported_json, read_conversations
from sparring.app.promote import PromoteOptions, promote_stored
from sparring.app.uploads import as_sent
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, hinted
from sparring.core.value import Json, Value
from sparring.reports.transcript import extraction_json
from sparring.rules.inputs.log_format import AUTO
from sparring.rules.inputs.recordings import Conversations
from sparring.rules.inputs.rows import columns_of
from sparring.web.api.batches import Service, StoredBatch, check_batch_limit, find_conversation, require_json
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import error_responses
from sparring.web.schemas import document_model, document_response

router = APIRouter(prefix="/api", tags=["recordings"])


class SentLog(Value):
    """A log as text; the ending of its name says if it is JSON, NDJSON, CSV or YAML."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}$")]
    text: str


class ImportRequest(Value):
    """Logs to import as one batch, in a format that is recognised by default.

    `map` names the columns of a log with one message a row. Calls of tools that are not there did not happen if the
    logs are `complete_tools`.
    """

    logs: tuple[SentLog, ...] = Field(min_length=1, max_length=1000)
    format: Annotated[str, Field(max_length=100)] = AUTO
    map: Annotated[str, Field(max_length=1000)] = "id=id,role=role,text=text"
    complete_tools: bool = False
    name: Annotated[str, Field(max_length=200)] = ""


@router.post(
    "/import",
    status_code=201,
    response_model=document_model("imported"),
    responses=error_responses(403, 415, 429),
    dependencies=[Depends(require_json)],
)
async def import_conversations(service: Service, wanted: ImportRequest) -> Response:
    """Import logs of real conversations as a batch, as `sparring import` does."""
    check_batch_limit(service)
    imported = await asyncio.to_thread(asyncio.run, _imported(wanted, service))
    return document_response("imported", imported, 201)


async def _imported(wanted: ImportRequest, service: AppState) -> dict[str, Json]:
    """Import logs; in a loop of its own, since reading them takes long."""
    if len({each.name for each in wanted.logs}) < len(wanted.logs):
        raise InputError("two logs have the same name")
    with TemporaryDirectory(prefix="sparring-") as folder:
        for each in wanted.logs:
            (Path(folder) / each.name).write_text(each.text, encoding="utf-8", errors="replace", newline="")
        only = wanted.logs[0].name if len(wanted.logs) == 1 else ""
        found = Conversations(
            Path(folder) / only,
            format=wanted.format,
            columns=columns_of(wanted.map),
            complete_tools=wanted.complete_tools,
            tool_errors=service.config.tool_errors,
        )
        found.shown = only or "logs"
        try:
            batch, number, _ = await import_logs(found, service.store, name=wanted.name)
        except InputError as error:
            raise InputError(as_sent(each, Path(folder)) for each in hinted(error)) from error
        return imported_json(batch, number, [as_sent(each, Path(folder)) for each in found.skipped])


@router.get("/batches/{id}/read", response_model=document_model("reading"), responses=error_responses(404))
async def read(
    service: Service,
    batch: StoredBatch,
    after: Annotated[str, Query(max_length=2000, description="`next` of the previous page.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> Response:
    """Read the goals and outputs of conversations of a batch, as `sparring read` does with files.

    If there are more than `limit`, the answer has the `next` page.
    """
    page = service.store.conversations(batch.id, after=after, limit=limit + 1)
    stored = [each async for each in page]
    found = await asyncio.to_thread(asyncio.run, _read(stored[:limit], service.config))
    more: dict[str, Json] = {"next": stored[limit - 1].id} if len(stored) > limit else {}
    return document_response("reading", {"conversations": found, **more})


async def _read(conversations: Sequence[Conversation], config: AppConfig) -> list[Json]:
    return [extraction_json(id, each) async for id, each in read_conversations(conversations, config)]


class PromoteRequest(Value):
    """A conversation to turn into a scenario.

    It starts `at` a message of the user, by default the one before the failure. The user repeats the recorded lines, or
    pursues their goals. Results of tools are stubs unless `live_tools`; personal data is replaced unless `keep_values`.
    """

    conversation: Annotated[str, Field(max_length=2000)]
    at: PositiveInt | None = None
    user: Literal["script", "goals"] = "script"
    live_tools: bool = False
    keep_values: bool = False


@router.post(
    "/batches/{id}/promote",
    response_model=document_model("promoted"),
    responses=error_responses(403, 404, 415),
    dependencies=[Depends(require_json)],
)
async def promote(service: Service, batch: StoredBatch, wanted: PromoteRequest) -> Response:
    """Turn a recorded conversation into a scenario, as `sparring promote` does."""
    conversation = await find_conversation(service, batch, wanted.conversation)
    options = PromoteOptions(wanted.at, wanted.user, wanted.live_tools, wanted.keep_values)
    whole = await service.store.batch(batch.id)
    made = await promote_stored(whole, service.store, conversation.id, options)
    return document_response("promoted", made.document())
