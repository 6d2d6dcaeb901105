"""The jobs of Procrastinate: runs them in this process, and requeues those of lost workers."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import procrastinate
from procrastinate.exceptions import ConnectorException

from sparring.core.errors import StoreError
from sparring.store.postgres import queue
from sparring.store.postgres.database import first_line
from sparring.store.postgres.store import PostgresStore
from sparring.store.remote import Drained

Play = Callable[[str, int], Awaitable[None]]
"""Plays the shard of a batch with this number; any exception requeues the job."""

_AT_ONCE = datetime.fromtimestamp(0, UTC)
"""In the past by every clock; without a time, Procrastinate takes that of this machine's clock."""

_SLOWEST_RETRY = 32
"""Seconds until a shard that keeps failing is tried again; each pause is twice the one before."""


@dataclass(frozen=True)
class WorkerTerms:
    """Shards at once, seconds of silence after which a worker counts as dead, and of grace."""

    shards: int
    stalled_seconds: float
    grace_seconds: float
    listen: bool = True


class _Failed(Exception):
    """A shard could not be played, and is due again `at` this time of the database's clock."""

    def __init__(self, at: datetime) -> None:
        super().__init__()
        self.at = at


class _Retry(procrastinate.BaseRetryStrategy):  # type: ignore[misc] # the driver is not there for the type checker
    """Gives a shard back at once if its worker drains, and later if it failed."""

    def get_retry_decision(self, *, exception: BaseException, job: procrastinate.jobs.Job) -> object:
        return procrastinate.RetryDecision(retry_at=exception.at if isinstance(exception, _Failed) else _AT_ONCE)


async def run_worker(store: PostgresStore, play: Play, stop: asyncio.Event, terms: WorkerTerms) -> None:
    """Play shards until `stop` is set; then wait for those under way, as long as there is grace.

    Raises:
        StoreError: the database is gone, and did not come back in time.
    """
    lost = 0
    while not stop.is_set():
        app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=store.url, max_size=4))
        _register(app, store, play)
        try:
            async with app.open_async():
                lost = 0
                await _run(app, store, stop, terms)
            if not stop.is_set():
                raise StoreError(f"the worker lost {store.place}")
        except (ConnectorException, StoreError, OSError) as error:
            # A restart of the database takes seconds; what was under way is given back and played again.
            lost += 1
            if lost > _TRIES:
                raise StoreError(f"{store.place} is gone: {first_line(error)}") from error
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _PAUSE)


def _register(app: procrastinate.App, store: PostgresStore, play: Play) -> None:
    @app.task(name=queue.TASK, queue=queue.QUEUE, retry=_Retry())  # type: ignore[untyped-decorator]
    async def shard(batch: str, number: int) -> None:
        try:
            await play(batch, number)
        except Drained:
            raise
        except Exception as error:
            raise _Failed(await store.retry_at(batch, number, _SLOWEST_RETRY)) from error


_TRIES, _PAUSE = 15, 2.0
"""Attempts to reach a database again, and seconds between two."""


async def _run(app: procrastinate.App, store: PostgresStore, stop: asyncio.Event, terms: WorkerTerms) -> None:
    rescuing = asyncio.create_task(_rescue(store, terms.stalled_seconds))
    working = asyncio.create_task(
        app.run_worker_async(
            queues=[queue.QUEUE],
            concurrency=terms.shards,
            fetch_job_polling_interval=1,
            abort_job_polling_interval=3600,  # nothing is aborted: workers look at the batch
            update_heartbeat_interval=terms.stalled_seconds / 3,
            stalled_worker_timeout=terms.stalled_seconds,
            shutdown_graceful_timeout=terms.grace_seconds,
            install_signal_handlers=False,
            listen_notify=terms.listen,
            delete_jobs="successful",
        )
    )
    stopping = asyncio.create_task(stop.wait())
    try:
        # A side task that ends in silence would leave a worker whose heart beats and who does nothing.
        await asyncio.wait({rescuing, working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (rescuing, working):
            if task.done():
                task.result()
    finally:
        rescuing.cancel()
        stopping.cancel()
        working.cancel()  # it waits for the shards under way
        await asyncio.gather(rescuing, stopping, working, return_exceptions=True)


async def _rescue(store: PostgresStore, silent_seconds: float) -> None:
    while True:
        await asyncio.sleep(silent_seconds / 3)
        await store.rescue(silent_seconds)
