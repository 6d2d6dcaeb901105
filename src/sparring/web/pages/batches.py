"""Pages to look at what was run: all batches, one of them, its conversations, and one of those.

A batch as the files that `sparring report` writes, to download.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from pydantic import ValidationError

from sparring.app.listing import PATIENCE, Seen, all_verdicts
from sparring.app.report import report as made_report
from sparring.app.results import costs_of
from sparring.app.service_results import status
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.listing import ConversationQuery
from sparring.core.usage import Usage
from sparring.core.value import to_json
from sparring.core.verdict import CheckOutcome
from sparring.reports.html.charts import figures
from sparring.reports.html.conversation import render_conversation
from sparring.reports.html.formatting import shown
from sparring.reports.html.report import Page
from sparring.reports.json_report import printed
from sparring.reports.markdown import batch_markdown
from sparring.reports.service_results import BatchStatus, Status
from sparring.reports.summary import outcome_of
from sparring.reports.transcript import transcript
from sparring.reports.usage import consumed, measured
from sparring.web.api.batches import ULID, Found, Service, found
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import Refusal
from sparring.web.pages.live import running
from sparring.web.rendering import page

report_router = APIRouter(prefix="/batches", include_in_schema=False)

REPORTED = 5_000
"""As many conversations as a server reports at once: it has better things to do than to write files of more."""

Kind = Annotated[str, Path(pattern="^(html|md|json)$")]


@report_router.get("/{id}/report.{kind}")
async def report(service: Service, batch: Found, kind: Kind) -> Response:
    """A batch as one file."""
    if (await service.store.progress(batch.id)).stored > REPORTED:
        raise Refusal(
            409, f"for more than {REPORTED:,} conversations there is: sparring report {batch.id} --{kind} FILE"
        )
    media = _MEDIA[kind]
    text = await service.finding_out.apart(lambda: _text(service, batch, kind))
    name = f"sparring-{batch.id}.{kind}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(errors="replace"), media_type=media, headers=headers)


async def _text(service: AppState, batch: Batch, kind: str) -> str:
    whole, page = await service.store.batch(batch.id), Page()
    listeners = [page] if kind == "html" else []
    made = await made_report(whole, service.store, gate=service.settings.gate, listeners=listeners)
    if kind == "html":
        return page.text(made)
    return batch_markdown(made) if kind == "md" else printed(made.summary.model_dump(mode="json")) + "\n"


_MEDIA = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
}


router = APIRouter(prefix="/batches", include_in_schema=False)

_BATCHES = 25
_LOOKED_THROUGH = 2_000
_ROWS = 50
_SHOWN = 12

Text = Annotated[str, Query(max_length=500)]
Id = Annotated[str, Query(min_length=1, max_length=2000)]


@dataclass(frozen=True)
class Row:
    """A batch in the list of batches."""

    batch: Batch
    status: BatchStatus
    seen: Seen


@router.get("")
async def batches(
    request: Request,
    service: Service,
    q: Text = "",
    state: Annotated[Status | str, Query(pattern="^(pending|running|completed|failed|cancelled|)$")] = "",
    before: Annotated[str, Query(max_length=26)] = "",
) -> HTMLResponse:
    """All batches, the newest first."""
    rows, more = await _batches(service, q, str(state), before)
    following = _url("/batches", q=q, state=str(state), before=rows[-1].batch.id) if more else ""
    total = await service.store.count()
    return page(
        request,
        "batches.html",
        rows=rows,
        q=q,
        state=state,
        states=list(Status),
        next=following,
        total=total,
        demo=service.demonstrates,
    )


@router.get("/{id}")
async def batch(request: Request, service: Service, id: Annotated[str, Path(max_length=500)]) -> Response:
    """How far a batch is, and what came out of it; by the name of a batch, where its page is."""
    if not re.fullmatch(ULID, id):
        return await _by_name(service, id)
    batch = await found(id, request)
    run = await running(service, batch, patience=PATIENCE)
    seen = run.seen
    failed = ConversationQuery(outcomes=(CheckOutcome.FAIL, CheckOutcome.ERROR))
    _, troubles = await service.store.search(batch.id, failed, offset=0, limit=_SHOWN)
    totals = seen.totals
    measures = await service.looking.measures(batch, totals)
    called_so = await service.store.namesakes(batch.name)
    return page(
        request,
        "batch.html",
        batch=batch,
        namesakes=[each for each in called_so if each != batch.id],
        newest=called_so[:1] == [batch.id],
        run=run,
        said=(),
        seen=seen,
        reported=REPORTED,
        judges=await _judges(service, batch, seen) if run.judges_apart and not run.playing else None,
        troubles=troubles,
        measures=measures,
        charts=figures(totals.outcomes, _ended(seen), totals.scores, totals.failed, measures),
    )


async def _by_name(service: AppState, name: str) -> Response:
    """Leads to the batch of this name; where several have it, to all of them."""
    ids = await service.store.namesakes(name)
    if not ids:
        raise Refusal(404, f"there is no batch {name}")
    return RedirectResponse(f"/batches/{ids[0]}" if len(ids) == 1 else _url("/batches", q=name), 303)


@router.get("/{id}/conversations")
async def conversations(request: Request, service: Service, batch: Found) -> HTMLResponse:
    """The conversations of a batch that are looked for, a page of them at a time."""
    asked = {name: value for name, value in request.query_params.items() if value and len(value) <= 500}
    wanted, at = _search(asked)
    seen = await service.looking.look(batch)
    total, rows = await service.store.search(batch.id, wanted, offset=(at - 1) * _ROWS, limit=_ROWS)
    path = f"/batches/{batch.id}/conversations"

    def link(**changed: str) -> str:
        return _url(path, **{**{name: value for name, value in asked.items() if name != "page"}, **changed})

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
        outcomes=list(CheckOutcome),
    )


@router.get("/{id}/conversation")
async def conversation(
    request: Request, service: Service, batch: Found, id_: Annotated[Id, Query(alias="id")]
) -> Response:
    """One conversation, turn by turn, with all that was found about it."""
    found = await found_conversation(service, batch, id_)
    (_, verdicts), *_ = await all_verdicts(batch, service.store, [found])
    usage = sum(found.usage.values(), Usage())
    return page(
        request,
        "conversation.html",
        batch=batch,
        conversation=found,
        verdicts=sorted(verdicts, key=lambda verdict: verdict.outcome not in (CheckOutcome.FAIL, CheckOutcome.ERROR)),
        turns=render_conversation(found, verdicts),
        usage=usage,
        calls=measured(found),
        used_by=consumed(found, verdicts),
        outcome=outcome_of(found, verdicts)[0],
        raw=shown(found.model_dump_json(indent=2)),
        text="\n".join(transcript(found)),
        attempts=await _attempts(service, batch, found),
    )


@router.get("/{id}/conversation.json")
async def as_json(service: Service, batch: Found, id_: Annotated[Id, Query(alias="id")]) -> Response:
    """All that is kept of a conversation, as a file."""
    found = await found_conversation(service, batch, id_)
    return Response(to_json(found), media_type="application/json", headers=_as_file("conversation.json"))


@router.get("/{id}/conversation.txt")
async def as_text(service: Service, batch: Found, id_: Annotated[Id, Query(alias="id")]) -> Response:
    """A conversation as plain text, as a file."""
    found = await found_conversation(service, batch, id_)
    return PlainTextResponse("\n".join(transcript(found)) + "\n", headers=_as_file("conversation.txt"))


async def _judges(service: AppState, batch: Batch, seen: Seen) -> Usage | None:
    """What models took to judge a batch, where it can be added up while somebody waits."""
    if seen.progress.stored > REPORTED:
        return None

    async def work() -> Usage:
        costs = await costs_of(await service.store.batch(batch.id), service.store, {})
        return costs.roles.get("judge", Usage())

    key = ("judges", batch.id, seen.totals.model_dump_json())
    return await service.finding_out.find(key, work, patience=PATIENCE)


async def _batches(service: AppState, q: str, state: str, before: str) -> tuple[list[Row], bool]:
    """A page of those that are looked for, and whether there are more."""
    rows: list[Row] = []
    looked_through = 0
    while looked_through < _LOOKED_THROUGH:
        some = await service.store.batches(limit=100, before=before)
        for each in some:
            with suppress(InputError):  # it was deleted in between
                if not _about(each, q):
                    continue
                now = await status(service.store, each)
                if state and now.status != state:
                    continue
                if len(rows) == _BATCHES:
                    return rows, True
                rows.append(Row(each, now, await service.looking.look(each, patience=0.1)))
        if len(some) < 100:
            break
        before, looked_through = some[-1].id, looked_through + len(some)
    return rows, False


def _about(batch: Batch, q: str) -> bool:
    words = " ".join((batch.id, batch.name, *batch.tags, str(batch.who))).casefold()
    return all(word in words for word in q.casefold().split())


def _search(asked: Mapping[str, str]) -> tuple[ConversationQuery, int]:
    """What is looked for, and which page of it; what makes no sense is a refusal."""
    try:
        wanted = ConversationQuery(
            endings=tuple(Ending(each) for each in asked.get("ending", "").split()),
            outcomes=tuple(CheckOutcome(each) for each in asked.get("outcome", "").split()),
            scores=tuple(float(each) for each in asked.get("score", "").split()),
            check=asked.get("check", ""),
            text=asked.get("text", ""),
            tag=asked.get("tag", ""),
            case=asked.get("case", ""),
            order=asked.get("order", "case"),
            descending=asked.get("way") == "down",
        )
        at = int(asked.get("page", "1"))
    except (ValueError, ValidationError) as error:
        raise Refusal(400, "nothing can be looked for like this") from error
    if not 1 <= at <= 10_000_000:
        raise Refusal(404, "there is no such page")
    return wanted, at


def conversation_url(batch: str, id: str) -> str:
    """Where the page of a conversation is; an id may hold anything, and no path keeps all of that."""
    return _url(f"/batches/{batch}/conversation", id=id)


async def found_conversation(service: AppState, batch: Batch, id: str) -> Conversation:
    """A conversation of a batch, or a refusal."""
    try:
        return await service.store.conversation(batch.id, id)
    except InputError as error:
        raise Refusal(404, f"there is no such conversation in batch {batch.id}") from error


async def _attempts(service: AppState, batch: Batch, found: Conversation) -> int:
    if found.timing is None or found.timing.attempt == 1:
        return 1
    return len(await service.store.attempts(batch.id, found.id))


def _ended(seen: Seen) -> dict[str, int]:
    return {(ending.value if ending else "did not end"): count for ending, count in seen.progress.endings.items()}


def _url(path: str, **values: str) -> str:
    return f"{path}?{urlencode({name: value for name, value in values.items() if value})}"


def _as_file(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
