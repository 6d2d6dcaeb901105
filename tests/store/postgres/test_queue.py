"""Shards and their jobs, on a real PostgreSQL. Without one these tests are skipped, and say so."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from sparring.core.batch import BatchExecution
from sparring.store.postgres import queue
from sparring.store.postgres.database import PostgresConnection
from sparring.store.postgres.jobs import WorkerTerms, run_worker
from sparring.store.postgres.store import PostgresStore
from sparring.store.remote import Drained
from sparring.testing.factories import a_batch

pytestmark = pytest.mark.slow

BATCH = a_batch(*(f"case-{n}" for n in range(20)))


async def _submit(url: str) -> None:
    async with PostgresStore(url) as store:
        await store.submit(BATCH, (), BatchExecution(batch=BATCH.id), b"{}")


def _end(connection: PostgresConnection, number: int) -> bool:
    with connection.transaction():
        return queue.end_shard(connection, BATCH.id, number)


def test_of_two_workers_that_end_the_last_shards_together_one_ends_the_batch(postgres_url: str):
    asyncio.run(_submit(postgres_url))
    one, other = PostgresConnection(postgres_url), PostgresConnection(postgres_url)
    with closing(one.raw), closing(other.raw), ThreadPoolExecutor() as threads:
        with one.transaction():
            first = queue.end_shard(one, BATCH.id, 0)
            second = threads.submit(_end, other, 1)
            waits = f"SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = {other.raw.info.backend_pid}"
            while not (second.done() or one.execute(waits).fetchone()[0]):
                time.sleep(0.01)

        assert (first, second.result()) == (False, True)


async def test_shards_given_back_by_workers_that_drain_wait_no_longer_once_they_fail(postgres_url: str):
    stop = asyncio.Event()

    async def play(batch: str, number: int) -> None:
        stop.set()
        raise RuntimeError("the chatbot is gone")

    await _submit(postgres_url)
    async with PostgresStore(postgres_url) as store:
        await store._write(lambda connection: connection.execute("UPDATE procrastinate_jobs SET attempts = 9"))
        await run_worker(store, play, stop, WorkerTerms(1, 30, 30))
        soon = "SELECT max(scheduled_at) < now() + INTERVAL '20 seconds' FROM procrastinate_jobs"
        found = await store._read(lambda connection: connection.execute(soon).fetchone())

    assert found == (True,)


async def test_a_shard_waits_twice_as_long_after_each_failure(postgres_url: str):
    await _submit(postgres_url)
    async with PostgresStore(postgres_url) as store:
        begun, waits = await store.retry_at(BATCH.id, 0, 0), []
        for _ in range(4):
            failed = await store.fail_shard(BATCH.id, 0)
            waits.append(2**failed <= (await store.retry_at(BATCH.id, 0, 8) - begun).total_seconds())

    assert waits == [True, True, True, False]


@pytest.mark.parametrize("error", [Drained(), RuntimeError("the chatbot is gone")])
async def test_a_worker_whose_clock_is_ahead_puts_off_no_shard(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    monkeypatch.setattr("procrastinate.utils.utcnow", lambda: datetime.now(UTC) + timedelta(days=1))
    stop = asyncio.Event()

    async def play(batch: str, number: int) -> None:
        stop.set()
        raise error

    await _submit(postgres_url)
    async with PostgresStore(postgres_url) as store:
        await run_worker(store, play, stop, WorkerTerms(1, 30, 30))
        soon = "SELECT max(scheduled_at) < now() + INTERVAL '1 minute' FROM procrastinate_jobs"
        found = await store._read(lambda connection: connection.execute(soon).fetchone())

    assert found == (True,)


async def test_a_batch_resumed_while_its_last_job_finishes_gets_new_jobs(postgres_url: str):
    await _submit(postgres_url)
    async with PostgresStore(postgres_url) as store:
        await store._write(lambda connection: connection.execute("UPDATE procrastinate_jobs SET status = 'doing'"))
        assert [await store.end_shard(BATCH.id, number) for number in (0, 1)] == [False, True]
        await store.end_batch(BATCH.id)

        await store.resume_batch(BATCH.id)
        await store.end_batch(BATCH.id)  # by a worker that is late

        query = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'"
        assert await store._read(lambda connection: connection.execute(query).fetchone()) == (2,)
        job = await store.job(BATCH.id)
        assert job is not None
        assert job.ended is None


async def test_a_shard_that_is_played_gets_no_second_job(postgres_url: str):
    await _submit(postgres_url)
    async with PostgresStore(postgres_url) as store:
        await store._write(lambda connection: connection.execute("UPDATE procrastinate_jobs SET status = 'doing'"))

        await store.resume_batch(BATCH.id)

        query = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'"
        assert await store._read(lambda connection: connection.execute(query).fetchone()) == (0,)
