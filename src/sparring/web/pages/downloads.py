"""Downloads of a batch: reports in every format, and the links to them."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response

from sparring.app.report import written_report
from sparring.core.batch import Batch
from sparring.reports.formats import ReportFormat, for_suffix, formats
from sparring.web.api.batches import Service, StoredBatch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError

router = APIRouter(prefix="/batches", include_in_schema=False)

MAX_REPORTED = 5_000
"""Most conversations in a report from the server; larger reports would occupy it for too long."""

Name = Annotated[str, Path(pattern="^[a-z0-9_-]{1,40}$")]


@router.get("/{id}/report.{name}")
async def report(service: Service, batch: StoredBatch, name: Name) -> Response:
    """Return a batch as one file in the format of this name, or of this suffix, as earlier addresses had."""
    format = next((each for each in _of_batches() if each.name == name), None)
    format = format or for_suffix(f".{name}", lambda each: each.batch is not None)
    if format is None:
        raise RequestError(404, f"unknown report format .{name}")
    suffix = format.suffixes[0]
    if (await service.store.progress(batch.id)).stored > MAX_REPORTED:
        raise RequestError(
            409,
            f"too many conversations for a download (more than {MAX_REPORTED:,}): "
            f"use sparring report {batch.id} --output FILE{suffix}",
        )
    content = await service.background_cache.run_uncached(lambda: _content(service, batch, format))
    headers = {"content-disposition": f'attachment; filename="sparring-{batch.id}{suffix}"'}
    return Response(content, media_type=format.media_type, headers=headers)


def _of_batches() -> Iterator[ReportFormat]:
    return (each for each in formats() if each.batch)


async def _content(service: AppState, batch: Batch, format: ReportFormat) -> bytes:
    store, gate = service.store, service.config.gate
    whole = await store.batch(batch.id)
    _, (content,) = await written_report(whole, store, [format], now=service.clock.now(), gate=gate)
    return b"".join([chunk async for chunk in content])


def downloads(batch: Batch, stored: int) -> Iterator[tuple[str, str]]:
    """Yield label and address of what can be downloaded of a batch with this number of conversations."""
    if not stored:
        return
    if stored <= MAX_REPORTED:
        for each in _of_batches():
            yield f"Report ({each.label})", f"/batches/{batch.id}/report.{each.name}"
    for each in formats():
        if each.results:
            query = f"partial=true&transcripts=true&format={each.name}"
            yield f"Results ({each.label})", f"/api/batches/{batch.id}/results?{query}"
