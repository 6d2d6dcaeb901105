"""Workers are killed, stopped and started, and the database goes: every conversation is stored once.

The full form, with 20 random kills and throughput, is `benchmarks/cluster.py`.
"""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from cluster_processes import Cluster
from postgres_server import PostgresServer, postgres_server, programs

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


def test_a_worker_that_cannot_reach_its_database_fails(cluster: Cluster):
    batch = cluster.submit(1)
    cluster.url = cluster.url.replace("sparring@/postgres", "sparring@/no_such_database")

    lost = cluster.start()

    assert (lost.wait() != 0, batch != "") == (True, True)
