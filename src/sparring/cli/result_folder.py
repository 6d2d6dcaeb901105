"""The files of results that a batch leaves in a folder: `batch_ID_TIME.csv`, `.ndjson` and `.json`, and its summary."""

from collections.abc import AsyncIterator
from pathlib import Path

from sparring.app.report import result_content
from sparring.app.service_results import batch_status, iter_results
from sparring.cli.replacing import whole
from sparring.core.batch import Batch
from sparring.core.clock import Clock
from sparring.reports.formats import find
from sparring.reports.json_report import printed
from sparring.reports.service_summary import Counting
from sparring.store.store import Store


async def write_results(folder: Path, batch: Batch, store: Store, clock: Clock) -> str:
    """Write what became of each scenario of a batch; in words, what was written."""
    now = clock.now()
    name, told = f"{batch.id}_{now:%Y%m%d_%H%M%S}", await batch_status(store, batch)
    for format in ("csv", "ndjson", "json"):
        content = await result_content(batch, store, find(format), now=now, transcripts=True)
        await _write(folder / f"batch_{name}.{format}", content)
    counting = Counting()
    async for each in iter_results(store, batch):
        counting.add(each)
    summary = counting.summary(batch.id, told.total_scenarios, now)
    with whole(folder / f"summary_{name}.json") as file:
        file.write(printed(summary.model_dump(mode="json")).encode() + b"\n")
    return f"{folder}: batch_{name}.csv, .ndjson and .json, and summary_{name}.json"


async def _write(path: Path, content: AsyncIterator[bytes]) -> None:
    with whole(path) as file:
        async for chunk in content:
            file.write(chunk)
