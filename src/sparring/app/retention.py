"""Retention: finding expired batches, and deleting them with their logs."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.core.batch import Batch, BatchExecution
from sparring.core.errors import InputError
from sparring.runner.batch_log import files_of
from sparring.store.store import Store

KEEP = "keep"
"""The tag of a batch that never expires."""


@dataclass(frozen=True)
class Old:
    """An expired batch, the time of its last activity, and a reason to keep it, if any."""

    batch: Batch
    last: datetime
    kept: str = ""


async def old(store: Store, before: datetime, config: AppConfig) -> AsyncIterator[Old]:
    """Yield the batches without activity since `before`, newest first.

    Running batches never expire, nor do batches that a server will resume.
    """
    async for batch in _all(store):
        job = await store.job(batch.id)
        times = (batch.created, job.started, job.ended) if job else (batch.created,)
        last = max(time for time in times if time is not None)
        if last < before:
            yield Old(batch, last, await _why_kept(batch, job, config, store))


async def forget(store: Store, batch: str, logs: Path | None) -> None:
    """Delete a batch with everything that is stored of it, and its logs. Files of results stay.

    Raises:
        InputError: the batch is running, in this or another process.
    """
    with store.playing(batch):
        await store.delete(batch)
    for path in files_of(logs, batch) if logs is not None else ():
        with suppress(OSError):  # a log that cannot be removed keeps no batch
            path.unlink()


async def delete_expired(store: Store, before: datetime, config: AppConfig) -> int:
    """Delete expired batches that are not kept, and return their number."""
    number = 0
    async for each in old(store, before, config):
        if not each.kept:
            with suppress(InputError):  # another process works on it again
                await forget(store, each.batch.id, config.output.logs)
                number += 1
    return number


async def _why_kept(batch: Batch, job: BatchExecution | None, config: AppConfig, store: Store) -> str:
    baseline = config.gate.baseline if config.gate else ""
    if KEEP in batch.tags:
        return f"it has the tag {KEEP}"
    if baseline and baseline in (batch.id, batch.name):
        return "the gate compares with it"
    if await store.is_played(batch.id):
        return "it is under way"
    waits = job is not None and job.served and job.ended is None and not job.cancelled
    return "a server goes on with it when it starts" if waits else ""


async def _all(store: Store) -> AsyncIterator[Batch]:
    before = ""
    while page := await store.batches(before=before):
        for batch in page:
            yield batch
        before = page[-1].id
