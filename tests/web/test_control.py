"""Cancelling, resuming and deleting batches."""

from pathlib import Path

import pytest

from sparring.core.batch import BatchExecution
from sparring.store.sqlite import locks
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import CREATED, a_batch, a_conversation
from web.conftest import Client, Open, finished, launched, scenarios, wait_for

pytestmark = pytest.mark.slow  # its tests play batches


@pytest.mark.slow
def test_a_batch_is_cancelled_and_resumed(opened: Open):
    client = opened(concurrency=1)
    id = launched(client, scenarios(60))

    running = client.get(f"/api/batches/{id}/gate")
    cancelled = client.post(f"/api/batches/{id}/cancel")
    stored = client.get(f"/api/batches/{id}").json()["completed_scenarios"]
    again = client.post(f"/api/batches/{id}/cancel")
    gated = client.get(f"/api/batches/{id}/gate")
    refused = client.get(f"/api/batches/{id}/results")
    partial = client.get(f"/api/batches/{id}/results?partial=1").json()
    resumed = client.post(f"/api/batches/{id}/resume")
    done = wait_for(client, id)

    assert (cancelled.status_code, cancelled.json()["status"], again.status_code) == (200, "cancelled", 200)
    assert stored < 60
    assert (running.status_code, gated.status_code) == (409, 200)
    assert (refused.status_code, refused.json()) == (
        400,
        {"error": "Batch not completed", "current_status": "cancelled"},
    )
    assert partial["total_results"] == stored
    assert (resumed.status_code, resumed.json()["status"] in ("pending", "running")) == (200, True)
    assert (done["status"], done["completed_scenarios"], done["error_message"]) == ("completed", 60, None)


@pytest.mark.slow
def test_a_batch_that_waits_for_others_is_pending(opened: Open):
    client = opened(concurrency=1)

    ids = [launched(client, scenarios(number)) for number in (60, 2)]
    client.post(f"/api/batches/{ids[0]}/cancel")

    assert wait_for(client, ids[1])["status"] == "completed"


def test_a_completed_batch_is_neither_cancelled_nor_resumed(client: Client):
    id = finished(client, scenarios(1))

    states = [client.post(f"/api/batches/{id}/{what}") for what in ("cancel", "resume")]

    assert [(answer.status_code, answer.json()["current_status"]) for answer in states] == [(409, "completed")] * 2


def test_a_deleted_batch_is_gone(client: Client):
    id = finished(client, scenarios(2))

    deleted = client.delete(f"/api/batches/{id}")

    assert (deleted.status_code, deleted.content) == (204, b"")
    assert client.get(f"/api/batches/{id}").status_code == 404
    assert client.get("/api/batches").json()["total_count"] == 0


def test_a_batch_under_way_is_not_deleted(opened: Open):
    client = opened(concurrency=1)
    id = launched(client, scenarios(60))

    refused = client.delete(f"/api/batches/{id}")
    client.post(f"/api/batches/{id}/cancel")

    assert (refused.status_code, client.delete(f"/api/batches/{id}").status_code) == (409, 204)


def test_a_batch_that_another_program_plays_is_not_deleted(client: Client, tmp_path: Path):
    id = finished(client, scenarios(1))

    with locks.batch_lock(tmp_path / "sparring.db", id):
        refused = client.delete(f"/api/batches/{id}")

    assert (refused.status_code, "is already being run" in refused.json()["error"]) == (409, True)
    assert (client.delete(f"/api/batches/{id}").status_code, client.delete(f"/api/batches/{id}").status_code) == (
        204,
        404,
    )


@pytest.mark.parametrize("cases, left", [("ab", "cancelled"), ("a", "completed")])
async def test_a_batch_whose_program_was_killed_runs_no_more(client: Client, tmp_path: Path, cases: str, left: str):
    batch = a_batch(*cases, id="01J0000000000000000000000A")
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        await store.add(batch.id, a_conversation(batch.cases[0]))
        await store.keep_job(BatchExecution(batch=batch.id, started=CREATED))

    def states() -> tuple[str, ...]:
        one = client.get(f"/api/batches/{batch.id}").json()
        (listed,) = client.get("/api/batches").json()["batches"]
        path, html = f"/batches/{batch.id}", {"accept": "text/html"}
        pages = [client.get(each, headers=html).text for each in (path, "/batches")]
        (shown,) = {page.partition('data-status="')[2].partition('"')[0] for page in pages}
        return one["status"], listed["status"], shown, one["error_message"] or ""

    with locks.batch_lock(tmp_path / "sparring.db", batch.id):
        playing = states()
        refused = client.post(f"/api/batches/{batch.id}/cancel").status_code

    assert (playing, refused) == (("running", "running", "running", ""), 409)
    assert states() == (left, left, left, "the process that ran this batch was killed")
