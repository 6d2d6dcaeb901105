"""Pages of conversations: the table of a batch, and one conversation beside its list."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from pydantic import ValidationError

from sparring.app.label import marks
from sparring.app.listing import MAX_WAIT
from sparring.app.results import result
from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Ending
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.value import to_json
from sparring.core.verdict import CheckOutcome
from sparring.reports.html.conversation import follows, render_conversation
from sparring.reports.html.formatting import shown
from sparring.reports.overview import Overview
from sparring.reports.transcript import transcript
from sparring.reports.usage import calls_of, consumed
from sparring.web.api.batches import Service, StoredBatch, find_conversation, stored_batch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.pages.batches import finished_overview
from sparring.web.pages.selection import Selection, address, conversation_url, selected, selection, selection_of
from sparring.web.rendering import page

router = APIRouter(prefix="/batches", include_in_schema=False)

_ROWS = 50
_SIBLINGS = 200
_TABLE = ("view", "order", "way", "page", "ending", "score", "case")
"""Parameters of the table, which the list beside a conversation does not have."""

ConversationId = Annotated[str, Query(min_length=1, max_length=2000)]
_FIRST = (CheckOutcome.FAIL, CheckOutcome.ERROR)


@router.get("/{id}/conversations")
async def conversations(request: Request, service: Service, batch: StoredBatch) -> Response:
    """Open the first conversation that a filter selects, or show all that match in a table."""
    asked = {name: value for name, value in request.query_params.items() if value and len(value) <= 500}
    if asked and not any(name in asked for name in _TABLE):
        seen, wanted = await service.listings.look(batch), selection(asked)
        found = await finished_overview(service, batch, seen, max_wait=MAX_WAIT)
        inside = await selected(wanted, found, batch.id, service.store) if found else []
        if inside:
            return RedirectResponse(conversation_url(batch.id, inside[0].id, wanted, "evidence"), 303)
    return await _table(request, service, batch, asked)


async def _table(request: Request, service: AppState, batch: Batch, asked: dict[str, str]) -> HTMLResponse:
    wanted, at = _parse_query(asked)
    seen = await service.listings.look(batch)
    total, rows = await service.store.search(batch.id, wanted, offset=(at - 1) * _ROWS, limit=_ROWS)
    path = f"/batches/{batch.id}/conversations"

    def link(**changed: str) -> str:
        return address(path, **{**{name: value for name, value in asked.items() if name != "page"}, **changed})

    return page(
        request,
        "conversations.html",
        batch=batch,
        seen=seen,
        total=total,
        rows=rows,
        wanted=wanted,
        asked=asked,
        at=at,
        pages=max(1, -(-total // _ROWS)),
        link=link,
        endings=list(Ending),
        outcomes=list(Outcome),
        inside=selection(asked).query,
    )


@dataclass(frozen=True)
class Sibling:
    """A conversation in the list beside another one."""

    name: str
    url: str
    why: str
    current: bool


@dataclass(frozen=True)
class Siblings:
    """The list that a conversation was chosen from: its place, its neighbours, and the rows around it."""

    words: str
    query: str
    at: int
    total: int
    previous: str
    next: str
    rows: list[Sibling]
    causes: list[tuple[str, str]]


@router.get("/{id}/conversation")
async def conversation(
    request: Request,
    service: Service,
    batch: StoredBatch,
    id_: Annotated[ConversationId, Query(alias="id")],
    in_: Annotated[str, Query(alias="in", max_length=2000)] = "",
) -> HTMLResponse:
    """Show a conversation turn by turn, with its verdicts, beside the list that `in` selects."""
    found = await find_conversation(service, batch, id_)
    recorded = await result(batch, service.store, found)
    verdicts = recorded.all
    seen = await service.listings.look(batch)
    glance = await finished_overview(service, batch, seen, max_wait=MAX_WAIT)
    inside = selection_of(in_)
    return page(
        request,
        "conversation.html",
        batch=batch,
        conversation=found,
        siblings=await _siblings(service, batch, glance, inside, found.id) if glance else None,
        cause=next((each for each in glance.entries if each.id == found.id), None) if glance else None,
        titles=glance.titles if glance else {},
        inside=inside,
        verdicts=sorted(verdicts, key=lambda verdict: verdict.outcome not in _FIRST),
        follows=follows(found, verdicts),
        turns=render_conversation(found, verdicts, recorded.decision),
        calls=calls_of(found),
        used_by=consumed(found, verdicts),
        decision=recorded.decision,
        first=recorded.first,
        raw=shown(found.model_dump_json(indent=2)),
        text="\n".join(transcript(found)),
        attempts=await _attempts(service, batch, found),
        mark=next(iter(await marks(batch, service.store, found.id)), None),
        beside=await _beside(service, batch, glance, found.id),
    )


async def _beside(service: AppState, batch: Batch, glance: Overview | None, id: str) -> str:
    """Return the address of a conversation beside the same one of the baseline; empty without one."""
    if glance is None or glance.baseline is None:
        return ""
    with suppress(RequestError):
        before = await stored_batch(service, glance.baseline.batch)
        await find_conversation(service, before, id)
        return address("/compare/conversation", before=before.id, after=batch.id, id=id)
    return ""


async def _siblings(service: AppState, batch: Batch, found: Overview, inside: Selection, id: str) -> Siblings | None:
    """Return the list around a conversation; None if the filter does not select it."""
    entries = await selected(inside, found, batch.id, service.store)
    at = next((number for number, each in enumerate(entries) if each.id == id), None)
    if at is None:
        return None

    def url(number: int) -> str:
        known = 0 <= number < len(entries)
        return conversation_url(batch.id, entries[number].id, inside, "evidence") if known else ""

    begin = at // _SIBLINGS * _SIBLINGS
    rows = [
        Sibling(each.id, url(n), each.reason or each.outcome, n == at)
        for n, each in enumerate(entries[begin : begin + _SIBLINGS], begin)
    ]
    causes = [(Selection(cause=each.id).query, f"{each.title} ({each.count:,})") for each in found.causes]
    return Siblings(inside.words(found), inside.query, at + 1, len(entries), url(at - 1), url(at + 1), rows, causes)


@router.get("/{id}/conversation.json")
async def conversation_json(
    service: Service, batch: StoredBatch, id_: Annotated[ConversationId, Query(alias="id")]
) -> Response:
    """Download the full stored record of a conversation."""
    found = await find_conversation(service, batch, id_)
    return Response(to_json(found), media_type="application/json", headers=_attachment("conversation.json"))


@router.get("/{id}/conversation.txt")
async def conversation_text(
    service: Service, batch: StoredBatch, id_: Annotated[ConversationId, Query(alias="id")]
) -> Response:
    """Download a conversation as plain text."""
    found = await find_conversation(service, batch, id_)
    return PlainTextResponse("\n".join(transcript(found)) + "\n", headers=_attachment("conversation.txt"))


def _parse_query(asked: Mapping[str, str]) -> tuple[ConversationQuery, int]:
    """Parse the filter and the page number. Raise `RequestError` if they are invalid."""
    try:
        wanted = ConversationQuery(
            endings=tuple(Ending(each) for each in asked.get("ending", "").split()),
            outcomes=tuple(Outcome(each) for each in asked.get("outcome", "").split()),
            scores=tuple(float(each) for each in asked.get("score", "").split()),
            check=asked.get("check", ""),
            cause=asked.get("cause", ""),
            blame=Blame(asked["blame"]) if "blame" in asked else None,
            text=asked.get("q", asked.get("text", "")),
            tag=asked.get("tag", ""),
            case=asked.get("case", ""),
            order=asked.get("order", "case"),
            descending=asked.get("way") == "down",
        )
        at = int(asked.get("page", "1"))
    except (ValueError, ValidationError) as error:
        raise RequestError(400, "invalid filter") from error
    if not 1 <= at <= 10_000_000:
        raise RequestError(404, "page not found")
    return wanted, at


async def _attempts(service: AppState, batch: Batch, found: Conversation) -> int:
    if found.timing is None or found.timing.attempt == 1:
        return 1
    return len(await service.store.attempts(batch.id, found.id))


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
