"""A batch as the files that `sparring report` writes, to download."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response

from sparring.app.report import report as made_report
from sparring.core.batch import Batch
from sparring.reports.html.report import Page
from sparring.reports.json_report import printed
from sparring.reports.markdown import batch_markdown
from sparring.web.answers import Refusal
from sparring.web.api import Found, Service
from sparring.web.service import Served

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


async def _text(service: Served, batch: Batch, kind: str) -> str:
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
