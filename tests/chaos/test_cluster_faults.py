"""Workers are killed, stopped and started, and the database goes: every conversation is stored once.

The full form, with 20 random kills and throughput, is `benchmarks/cluster.py`.
"""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import partial
from math import inf
from pathlib import Path

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from cluster_processes import PATIENCE, Cluster
from model_server import LoopbackModelServer
from postgres_server import PostgresServer, postgres_server, programs
from sparring.core.usage import Pricing, RateLimit
from sparring.llm.client.leased_rate_limiter import BLOCK_SECONDS
from sparring.store.postgres.store import PostgresStore
from talking import talk

pytestmark = [pytest.mark.extended, pytest.mark.process]

MANY = 200
AT_ONCE = 20


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that these tests may stop."""
    if programs() is None:
        pytest.skip("there is no PostgreSQL on this machine: `apt-get install postgresql`")
    with postgres_server() as started:
        yield started


@pytest.fixture
def cluster(server: PostgresServer, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    cluster = Cluster(server, server.url(f"faults_{abs(hash(request.node.name))}"), tmp_path)
    try:
        yield cluster
    finally:
        cluster.stop()


def test_every_conversation_is_stored_once_despite_killed_workers_and_database_failures(cluster: Cluster):
    killed, stopped, _ = (cluster.start() for _ in range(3))
    batch = cluster.submit(MANY)
    cluster.until_played(MANY // 8)
    killed.kill()
    stopped.send_signal(signal.SIGSTOP)
    cluster.until_played(MANY // 4)
    cluster.server.stop("immediate")
    cluster.server.start()
    cluster.until_played(MANY // 2)
    stopped.send_signal(signal.SIGCONT)
    cluster.start()

    cluster.until_ended(batch)

    lost = 2 * AT_ONCE + 3 * AT_ONCE  # under way in the workers that were killed or stopped, and when the database went
    assert cluster.rows(batch) == (MANY, MANY)
    assert cluster.executions <= MANY + lost


def test_a_stopped_worker_finishes_running_conversations_and_returns_the_others(cluster: Cluster):
    first = cluster.start()
    batch = cluster.submit(MANY)
    cluster.until_played(AT_ONCE)
    first.terminate()

    code = first.wait()
    cluster.start()
    cluster.until_ended(batch)

    assert (code, cluster.rows(batch), cluster.executions) == (0, (MANY, MANY), MANY)


def test_a_submitter_that_is_killed_has_submitted_all_or_nothing(cluster: Cluster):
    batch = cluster.submit(3)  # makes the tables
    cluster.start()
    cluster.until_ended(batch)
    scenario = cluster.folder / "talk.yml"
    scenario.write_text("script: [Hello, Bye]\n")
    words = ["run", str(scenario), "--chatbot", f"python:{cluster.bot}:reply", "--repeat", "30", "--workers", "remote"]
    command = [sys.executable, "-m", "sparring", *words, "--store", cluster.url, "--name", "left"]
    schema = cluster.url.rpartition("%3D")[2]
    batches = f"SELECT id FROM {schema}.batches WHERE name = 'left'"

    import psycopg

    with psycopg.connect(cluster.url) as held:  # the submitter waits for this transaction
        held.execute("LOCK TABLE remote IN SHARE ROW EXCLUSIVE MODE")
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'RowExclusiveLock'"
        with subprocess.Popen(command, env=cluster.environment, cwd=cluster.folder) as submitter:
            cluster.until(lambda: cluster.server.sql(waiting) != [(0,)], "the submitter waits")
            submitter.kill()
    assert cluster.server.sql(batches) == []

    with subprocess.Popen(command, env=cluster.environment, cwd=cluster.folder) as submitter:
        cluster.until(lambda: bool(cluster.server.sql(batches)), "the batch is there")
        submitter.kill()
    ((left,),) = cluster.server.sql(batches)
    cluster.until_ended(left)
    assert cluster.rows(left) == (30, 30)


def test_a_cancelled_batch_is_dropped_by_all_workers_and_resumed_by_them(cluster: Cluster):
    for _ in range(2):
        cluster.start()
    batch = cluster.submit(MANY)
    cluster.until_played(AT_ONCE)

    cluster.remotely(batch, PostgresStore.cancel_batch)
    quiet = cluster.until_quiet()
    before, _ = cluster.rows(batch)
    cluster.remotely(batch, PostgresStore.resume_batch)
    cluster.until_ended(batch)

    assert before <= quiet < MANY
    assert cluster.rows(batch) == (MANY, MANY)
    assert cluster.executions <= quiet + MANY - before


def test_a_batch_that_is_submitted_twice_is_played_once(cluster: Cluster):
    async def again(store: PostgresStore, batch: str) -> bool:
        job = await store.job(batch)
        assert job is not None
        return await store.submit(await store.batch(batch), (), job, await store.remote_options(batch))

    cluster.start(stalled=PATIENCE)
    batch = cluster.submit(MANY)
    submitted = [cluster.remotely(batch, again)]
    cluster.start(stalled=PATIENCE)
    cluster.until_played(AT_ONCE)
    submitted.append(cluster.remotely(batch, again))
    cluster.until_ended(batch)

    assert (submitted, cluster.rows(batch), cluster.executions) == ([False, False], (MANY, MANY), MANY)


AHEAD = """
import datetime

class Ahead(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return real.now(tz) + datetime.timedelta(days=1)

real, datetime.datetime = datetime.datetime, Ahead
"""


def test_a_worker_whose_clock_is_a_day_ahead_takes_nothing_from_others(cluster: Cluster):
    (cluster.folder / "sitecustomize.py").write_text(AHEAD)
    cluster.start(stalled=PATIENCE)
    cluster.environment["PYTHONPATH"] = str(cluster.folder)
    cluster.start(stalled=PATIENCE)

    batch = cluster.submit(MANY)
    cluster.until_ended(batch)

    assert (cluster.rows(batch), cluster.executions) == ((MANY, MANY), MANY)
    assert len({played.date() for played in cluster.started(batch)}) == 2, "both have played"


def test_four_workers_keep_the_limits_and_budgets_of_batches_by_the_servers_count(cluster: Cluster):
    """Two batches with different limits for their models, and one with a budget, at the same time."""
    price = Pricing(input=1_000, output=1_000)

    async def play() -> None:
        async with AsyncExitStack() as stack:
            servers = [LoopbackModelServer(otherwise=talk, minute=inf, keep=False) for _ in range(3)]
            models = [await stack.enter_async_context(each) for each in servers]
            names = [f"{each.url}#loopback" for each in models]
            limits = {names[0]: RateLimit(requests_per_minute=6_000), names[1]: RateLimit(requests_per_minute=1_200)}
            (cluster.folder / "sparring.yaml").write_text(f"prices: {{'{names[2]}': {{input: 1000, output: 1000}}}}\n")
            for _ in range(4):
                cluster.start(concurrency=8, stalled=PATIENCE)
            start = partial(asyncio.to_thread, cluster.submit)
            shared = {"limits": limits, "prices": {names[2]: price}}
            await asyncio.to_thread(cluster.until_ended, await start(4))  # the workers are up
            ids = [await start(cluster.orders(names[n], many), **shared) for n, many in ((0, 60), (1, 12))]
            ids.append(await start(cluster.orders(names[2], 60), max_cost=1.0, **shared))
            await asyncio.gather(*(asyncio.to_thread(cluster.until_ended, each) for each in ids))

            assert [cluster.rows(each) for each in ids[:2]] == [(60, 60), (12, 12)]
            for server, rate in zip(models, (100, 20), strict=False):
                seconds = server._within[-1][0] - server._within[0][0]
                assert server.calls <= 1.05 * rate * (seconds + BLOCK_SECONDS)
            (spent, _) = await asyncio.to_thread(cluster.remotely, ids[2], PostgresStore.consumed)
            under_way = 4 * 8 * spent.cost / spent.calls
            assert (0.5 < spent.cost <= 1.0 + 2 * under_way, spent.calls) == (True, models[2].calls)

    asyncio.run(play())


def test_a_worker_that_cannot_reach_its_database_fails(cluster: Cluster):
    batch = cluster.submit(1)
    cluster.url = cluster.url.replace("sparring@/postgres", "sparring@/no_such_database")

    lost = cluster.start()

    assert (lost.wait() != 0, batch != "") == (True, True)
