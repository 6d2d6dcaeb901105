"""NDJSON: the result rows of a batch, one JSON object a line."""

from collections.abc import AsyncIterator

from sparring.reports.formats import ReportFormat, ResultRows
from sparring.reports.json_report import compact, result_document


async def results_ndjson(results: ResultRows) -> AsyncIterator[bytes]:
    """Yield a line for each result, with the id of the batch and the time of the export."""
    head = compact({"batch_id": results.batch, "export_timestamp": results.exported.isoformat()})[:-1]
    async for result in results.rows:
        yield head + b"," + result_document(result)[1:] + b"\n"


FORMAT = ReportFormat(
    name="ndjson",
    label="NDJSON",
    suffixes=(".ndjson", ".jsonl"),
    media_type="application/x-ndjson",
    results=results_ndjson,
    transcripts=True,
    openings=(rb'\{"batch_id":"[^"]*","export_timestamp":',),
)
