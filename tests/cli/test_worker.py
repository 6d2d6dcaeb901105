"""`sparring worker`, on a real PostgreSQL. Without one these tests are skipped, and say so."""

from pathlib import Path

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from cluster_processes import Cluster
from postgres_server import PostgresServer


@pytest.mark.process
def test_several_worker_processes_play_and_stop_together(postgres: PostgresServer, postgres_url: str, tmp_path: Path):
    cluster = Cluster(postgres, postgres_url, tmp_path, seconds=0)
    batch = cluster.submit(20)
    worker = cluster.start("--processes", "2", "--json")
    try:
        schema = postgres_url.rpartition("%3D")[2]
        workers = f"SELECT count(*) FROM {schema}.procrastinate_workers"
        cluster.until(lambda: worker.poll() is not None or postgres.sql(workers) == [(2,)], "two workers are there")
        cluster.until_ended(batch)
        worker.terminate()

        assert (worker.wait(), cluster.rows(batch)) == (0, (20, 20))
        said = (tmp_path / "worker-0.log").read_text()
        assert (said.count('"kind": "worker"'), said.count(": 10 conversations at once")) == (1, 2)
    finally:
        cluster.stop()
