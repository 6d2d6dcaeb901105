"""The page of a name: its batches over time, and where their figures changed."""

import shlex
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from sparring.app.trend import TrendPoint, trend
from sparring.core.text import visible
from sparring.reports.html.charts import DatedInterval, intervals_chart
from sparring.reports.html.formatting import number, percent
from sparring.reports.rate_text import bounds_text, claim_text
from sparring.web.api.batches import Service
from sparring.web.api.errors import RequestError
from sparring.web.rendering import page

router = APIRouter(include_in_schema=False)

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
