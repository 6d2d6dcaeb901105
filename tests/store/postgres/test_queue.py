"""Shards and their jobs, on a real PostgreSQL. Without one these tests are skipped, and say so."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

pytest.importorskip("psycopg", reason="the extra `cluster` is not installed")

from sparring.core.batch import BatchExecution
from sparring.store.postgres import queue
from sparring.store.postgres.database import PostgresConnection
from sparring.store.postgres.store import PostgresStore
from sparring.testing.factories import a_batch

pytestmark = pytest.mark.slow

BATCH = a_batch(*(f"case-{n}" for n in range(20)))


def _submit(url: str) -> None:
    async def submitted() -> None:
        async with PostgresStore(url) as store:
            await store.submit(BATCH, (), BatchExecution(batch=BATCH.id), b"{}")

    asyncio.run(submitted())


def _end(connection: PostgresConnection, number: int) -> bool:
    with connection.transaction():
        return queue.end_shard(connection, BATCH.id, number)


def test_of_two_workers_that_end_the_last_shards_together_one_ends_the_batch(postgres_url: str):
    _submit(postgres_url)
    one, other = PostgresConnection(postgres_url), PostgresConnection(postgres_url)
    with closing(one.raw), closing(other.raw), ThreadPoolExecutor() as threads:
        with one.transaction():
            first = queue.end_shard(one, BATCH.id, 0)
            second = threads.submit(_end, other, 1)
            waits = f"SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = {other.raw.info.backend_pid}"
            while not (second.done() or one.execute(waits).fetchone()[0]):
                time.sleep(0.01)

        assert (first, second.result()) == (False, True)
