"""The format `html`. The page itself is loaded only when it is written."""

from functools import partial

from sparring.reports.formats import BatchWriter, ReportFormat


def _batch(*, whole: bool = False) -> BatchWriter:
    from sparring.reports.html.report import Page  # templates take 30 ms to load

    page = Page(whole=whole)
    return BatchWriter(page.text, rows=page)


FORMAT = ReportFormat(
    name="html",
    label="HTML",
    suffixes=(".html", ".htm"),
    media_type="text/html; charset=utf-8",
    batch=_batch,
    whole=partial(_batch, whole=True),
    transcripts=True,
    openings=(rb"<!doctype html>\n.*? \xc2\xb7 Sparring</title>\n",),
)
