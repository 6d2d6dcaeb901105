"""Pages of names: the newest batch of each, batches that match a search, and one name over time."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from sparring.app.listing import Seen, TrendPoint, trend
from sparring.app.results import batch_status
from sparring.core.batch import Batch
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.reports.causes import CauseSummary
from sparring.reports.html.charts import DatedInterval, intervals_chart
from sparring.reports.html.formatting import number, percent
from sparring.reports.overview import Overview
from sparring.reports.rate_text import bounds_text, claim_text, since_text
from sparring.reports.sentence import BatchSentence, verdict_sentence
from sparring.reports.service_results import BatchStatus, Status
from sparring.web.api.batches import Service
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.pages.batches import fallen, finished_overview, is_countable
from sparring.web.pages.selection import address
from sparring.web.rendering import page

router = APIRouter(include_in_schema=False)

_BATCHES = 25
_MAX_SCANNED = 2_000
_GLANCE = 0.1
_TREND = 12

SearchText = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True)
class BatchRow:
    """A row in the list: the newest batch of a name, or one that matches a search.

    `found` is None while it is computed, or conversations run. `rates` are the pass rates of the last runs, `number` is
    that of the run. `fallen` says that the score fell from the previous run, and is None while that is computed.
    """

    batch: Batch
    status: BatchStatus
    seen: Seen
    found: Overview | None
    sentence: BatchSentence | None
    rates: Sequence[float | None]
    number: int
    playing: bool
    fallen: str | None

    @property
    def cause(self) -> CauseSummary | None:
        """The largest new cause, else the largest one."""
        causes = self.found.causes if self.found else ()
        return next((each for each in causes if each.status == "new"), next(iter(causes), None))

    @property
    def fell(self) -> str:
        """The fall of the pass rate from the previous run; empty if it did not fall."""
        change, baseline = (self.found.change, self.found.baseline) if self.found else (None, None)
        if change is None or baseline is None or change.direction != "worse":
            return ""
        return since_text(change, baseline.previous_run or baseline.run)


@router.get("/batches")
async def batches(
    request: Request,
    service: Service,
    q: SearchText = "",
    state: Annotated[Status | str, Query(pattern="^(pending|running|completed|failed|cancelled|)$")] = "",
    before: Annotated[str, Query(max_length=26)] = "",
) -> HTMLResponse:
    """Show the newest batch of each name, newest first; with a search, all batches that match."""
    rows, more = await _batches(service, q, str(state), before)
    following = address("/batches", q=q, state=str(state), before=rows[-1].batch.id) if more else ""
    total = await service.store.count()
    failing = [each for each in rows if each.sentence and each.sentence.word == "FAILED"]
    return page(
        request,
        "batches.html",
        rows=rows,
        failing=sorted(failing, key=_fall)[:3],
        failing_count=len(failing),
        pending=any(
            None in (each.found, each.fallen) and is_countable(each.seen) and not each.playing for each in rows
        ),
        q=q,
        state=state,
        states=list(Status),
        next=following,
        total=total,
        demo=service.offers_demo,
    )


def _fall(row: BatchRow) -> float:
    change = row.found.change if row.found else None
    return change.value or 0 if change else 0


async def _batches(service: AppState, q: str, state: str, before: str) -> tuple[list[BatchRow], bool]:
    """Return a page of matching batches, and True if there are more."""
    rows: list[BatchRow] = []
    searching, looked_through = bool(q or state), 0
    while looked_through < _MAX_SCANNED:
        some = await service.store.batches(limit=100, before=before)
        for each in some:
            with suppress(InputError):  # deleted meanwhile
                runs = await service.store.namesakes(each.name) or {each.id: 0}
                if not _matches(each, q) or not (searching or each.id == max(runs)):
                    continue
                now = await batch_status(service.store, each)
                if state and now.status != state:
                    continue
                if len(rows) == _BATCHES:
                    return rows, True
                rows.append(await _row(service, each, now, runs))
        if len(some) < 100:
            break
        before, looked_through = some[-1].id, looked_through + len(some)
    return rows, False


async def _row(service: AppState, batch: Batch, now: BatchStatus, runs: Mapping[str, int]) -> BatchRow:
    seen = await service.listings.look(batch, max_wait=_GLANCE)
    playing = now.status in (Status.PENDING, Status.RUNNING)
    found = None if playing else await finished_overview(service, batch, seen, max_wait=_GLANCE)
    latest = sorted(id for id in runs if id <= batch.id)[-_TREND:]
    rates = [(await service.store.totals(id)).rate for id in latest]
    sentence = verdict_sentence(found, now.error_message or "", found.gated) if found else None
    previous = latest[-2] if found and len(latest) > 1 else ""
    worse = await fallen(service, batch, previous, seen, max_wait=_GLANCE)
    return BatchRow(batch, now, seen, found, sentence, rates, runs.get(batch.id, 0), playing, worse)


def _matches(batch: Batch, q: str) -> bool:
    words = " ".join((batch.id, batch.name, *batch.tags, str(batch.who))).casefold()
    return all(word in words for word in q.casefold().split())


_MAX_WAIT = 2.0


@router.get("/trend")
async def show_trend(
    request: Request, service: Service, name: Annotated[str, Query(min_length=1, max_length=200)]
) -> HTMLResponse:
    """Show pass rate, score, latency and cost of the batches of a name, oldest first."""
    ids = await service.store.namesakes(name)
    if not ids:
        raise RequestError(404, f"there is no batch called {name!r}")
    totals = [(await service.store.totals(id)).model_dump_json() for id in ids]
    found = await service.background_cache.get(
        ("trend", name, *totals), lambda: trend(name, service.store), max_wait=_MAX_WAIT
    )
    points = found or []
    label = "pass rate of each batch with its 95 % interval"
    rates = intervals_chart([_rate(each) for each in points], label=label, up=percent, top=1.0)
    scores = intervals_chart(
        [_score(each) for each in points],
        label="mean score of each batch with its 95 % interval",
        up=number,
        base=min((each.score_interval.these.low for each in points if each.score_interval), default=0.0),
    )
    return page(
        request,
        "trend.html",
        called=name,
        points=points,
        runs=ids,
        pending=found is None,
        rates=rates,
        scores=scores,
        command=f"sparring trend {shlex.quote(visible(name))}",
    )


def _rate(point: TrendPoint) -> DatedInterval:
    figure = point.pass_rate.these if point.pass_rate else None
    label = ""
    if figure and figure.value is not None:
        label = f"{percent(figure.value)}, {claim_text('these')}: {bounds_text(figure)}{_changed(point.change)}"
    return DatedInterval(datetime.fromisoformat(point.created), label, figure, bool(point.change))


def _score(point: TrendPoint) -> DatedInterval:
    figure = point.score_interval.these if point.score_interval else None
    label = f"{number(point.score)}{_changed(point.score_change)}"
    return DatedInterval(datetime.fromisoformat(point.created), label, figure, bool(point.score_change))


def _changed(change: str) -> str:
    return f", {change} than before" if change else ""
