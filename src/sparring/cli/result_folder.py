"""The files of results that a batch leaves in a folder: `batch_ID_TIME.csv`, `.ndjson` and `.json`, and its summary."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from sparring.core.batch import Batch
from sparring.core.clock import Clock
from sparring.core.errors import InputError
from sparring.reporting.documents import printed
from sparring.store.sqlite import SqliteStore
from sparring.web import exporting
from sparring.web.service import results, status
from sparring.web.statistics import Counting


async def write_results(folder: Path, batch: Batch, store: SqliteStore, clock: Clock) -> str:
    """Write what became of each scenario of a batch; in words, what was written."""
    now = clock.now()
    name, told = f"{batch.id}_{now:%Y%m%d_%H%M%S}", await status(store, batch)
    try:
        for suffix, content in (
            ("csv", exporting.as_csv(results(store, batch), told.prompt_version)),
            ("ndjson", exporting.as_ndjson(batch.id, results(store, batch, transcripts=True), now)),
            ("json", exporting.as_json(batch.id, results(store, batch, transcripts=True))),
        ):
            await _write(folder / f"batch_{name}.{suffix}", content)
        counting = Counting()
        async for each in results(store, batch):
            counting.add(each)
        summary = counting.summary(batch.id, told.total_scenarios, now)
        with _opened(folder / f"summary_{name}.json") as file:
            file.write(printed(summary.model_dump(mode="json")).encode() + b"\n")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error
    return f"{folder}: batch_{name}.csv, .ndjson and .json, and summary_{name}.json"


async def _write(path: Path, content: AsyncIterator[bytes]) -> None:
    with _opened(path) as file:
        async for chunk in content:
            file.write(chunk)


def _opened(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")
