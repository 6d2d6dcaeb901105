"""Submits batches to workers, and follows them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from sparring.app.cluster.options import options_of
from sparring.app.config import AppConfig
from sparring.app.execution import Surroundings, inputs_of, prepared
from sparring.app.launch import BatchPlan, batch_maker
from sparring.app.notices import Notice, gate_notices, left_out_notices, name_notices
from sparring.core.batch import Batch, BatchExecution
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished, BatchStarted, Event
from sparring.core.value import to_json
from sparring.judges.judge import deterministic_judge
from sparring.runner.players import prompt_versions
from sparring.store.redaction import Redaction
from sparring.store.remote import RemoteStore
from sparring.store.store import Store

_LOOK = 0.5
"""Seconds between polls of a batch's events."""


def remote(store: Store) -> RemoteStore:
    """Return the store as one that workers share. Raise InputError for any other store."""
    if not isinstance(store, RemoteStore):
        raise InputError("workers need a store in PostgreSQL", hint="--store postgresql://HOST/DATABASE")
    return store


async def submit(plan: BatchPlan, around: Surroundings, **fields: object) -> Batch:
    """Check a new batch as a run does, and store it with its jobs in one transaction.

    Raises:
        InputError: it cannot be played, or not by workers.
    """
    store, config = remote(around.store), around.config
    if plan.until_decided or plan.until:
        raise InputError("--until decides with the conversations so far: --workers remote plays them in any order")
    make, inputs = batch_maker(plan, around)
    async with prepared(make, inputs, around, rules=plan.rules) as (batch, players):
        if Redaction(config.redact).hidden(batch.cases) != batch.cases:
            raise InputError("workers cannot play cases that are redacted before they are stored")
        budget = config.budget.lowest(inputs_of(batch).budget)
        if budget.seconds is not None or budget.conversations is not None:
            raise InputError("--max-seconds and --max-conversations count in one process: not with --workers remote")
        job = BatchExecution(batch=batch.id, **{"served": True, **fields})
        prompts = prompt_versions(players, (*batch.rubrics, *batch.case_rubrics))
        await store.submit(batch, prompts, job, to_json(options_of(config, budget)))
    return batch


async def launch_remotely(
    plan: BatchPlan, store: Store, config: AppConfig, *, stop: asyncio.Event | None = None, **unsupported: object
) -> AsyncGenerator[Event | Notice]:
    """Submit a new batch, and yield its events. After `stop`, the workers go on without being followed."""
    if any(unsupported.values()):
        raise InputError("calls are recorded and replayed by one process: not with --workers remote")
    named, left_out = await name_notices(plan.name, store), left_out_notices(plan.left_out)
    for notice in (*named, *left_out, *gate_notices(config.gate, len(plan.cases), plan.repeats)):
        yield notice
    batch = await submit(plan, Surroundings(store=store, config=config, clock=SystemClock(), prompts=plan.prompts))
    async for event in follow(batch, store, stop or asyncio.Event()):
        yield event


async def resume_remotely(
    batch: Batch, store: Store, config: AppConfig, *, stop: asyncio.Event | None = None, **unsupported: object
) -> AsyncGenerator[Event | Notice]:
    """Resubmit what a batch lacks, and yield its events."""
    if any(unsupported.values()):
        raise InputError("--retry-failed, --record and --replay play in one process: not with --workers remote")
    last, ended = await remote(store).logged(batch.id)
    await resume_shards(batch, store)
    async for event in follow(batch, store, stop or asyncio.Event(), after=last, stored=ended):
        yield event


async def resume_shards(batch: Batch, store: Store) -> None:
    """Let workers play what a batch lacks, and ask for missing verdicts if its judge is a model."""
    asks = bool(batch.who.judge) and deterministic_judge(batch.who.judge) is None
    await remote(store).resume_batch(batch.id, whole=asks)


async def follow(
    batch: Batch, store: Store, stop: asyncio.Event, *, after: int = 0, stored: int = 0
) -> AsyncGenerator[Event]:
    """Yield the events of a batch that workers play, until it has ended or `stop` is set.

    They are those `after` an event, up to which `stored` conversations had ended.
    """
    yield BatchStarted(batch=batch, stored=stored, again=0)
    while True:
        job = await store.job(batch.id)
        ended = stop.is_set() or job is None or job.ended is not None
        async for number, event in store.events(batch.id, after=after):
            after = number
            if not isinstance(event, BatchFinished | BatchStarted):
                yield event
        if ended:
            break
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _LOOK)
    progress = await store.progress(batch.id)
    stored = sum(progress.endings.values())
    reason = (job.stopped or job.error) if job else ""
    yield BatchFinished(
        batch=batch.id,
        stored=stored,
        not_run=progress.planned - stored,
        reason=reason,
        failed=bool(job and job.error),
    )
