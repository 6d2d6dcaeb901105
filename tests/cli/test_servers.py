"""`status`, `fetch` and `cancel` against a server, and against the store it left."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import Sparring
from web.conftest import scenarios
from web.serving import Server

TOKEN = "a-token-of-our-own-0123456789"
WITH_TOKEN = {"SPARRING_SERVE_TOKEN": TOKEN}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, process: None) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    with Server(folder, "--chatbot", "pizzeria", "--concurrency", "2") as server:
        yield server


@pytest.mark.process
def test_a_batch_on_a_server_is_followed_fetched_and_cancelled(inside: Sparring, server: Server, tmp_path: Path):
    there = "--api-url", server.address
    id = server.post("/api/batches", scenarios(2))["batch_id"]
    server.events(f"/api/batches/{id}/events")

    status = inside("status", id, *there)
    as_json = inside("status", "latest", *there, "--json")
    fetched = inside("fetch", id, *there)
    inside("fetch", id, *there, "--format", "csv", "--output", "results.csv")
    cancelled = inside("cancel", id, *there)

    assert (status.returncode, status.stdout.splitlines()[:2]) == (
        0,
        [f"batch {id}: completed", "  100%: 2 completed, 0 failed, of 2"],
    )
    assert json.loads(as_json.stdout)["batch_id"] == id
    assert json.loads(fetched.stdout) == server.get(f"/api/batches/{id}/results")
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 3
    assert (cancelled.returncode, cancelled.stderr) == (
        3,
        "error: the batch is not running on this server (completed)\n",
    )


def test_a_batch_under_way_is_cancelled(inside: Sparring, server: Server):
    there = "--api-url", server.address
    id = server.post("/api/batches", scenarios(300))["batch_id"]

    cancelled = inside("cancel", id, *there)

    assert (cancelled.returncode, cancelled.stdout) == (0, f"batch {id}: cancelled\n")
    assert inside("status", id, *there).returncode == 3
    assert inside("fetch", id, *there).returncode == 3
    assert inside("fetch", id, *there, "--partial").returncode == 0


@pytest.mark.parametrize("command", ["status", "fetch", "cancel"])
def test_an_unreachable_server_is_an_error(inside: Sparring, server: Server, command: str):
    unknown = inside(command, "01J0000000000000000000000A", "--api-url", server.address)
    path = inside(command, "../../../etc/passwd", "--api-url", server.address)
    nobody = inside(command, "latest", "--api-url", "http://127.0.0.1:1")
    wrong = inside(command, "latest", "--api-url", "localhost:5000")

    assert [done.returncode for done in (unknown, path, nobody, wrong)] == [2, 2, 3, 2]
    assert all(done.stdout == "" and done.stderr.startswith("error: ") for done in (unknown, path, nobody, wrong))
    assert nobody.stderr.endswith("hint: is it running?\n")


@pytest.mark.process
def test_a_token_is_sent_and_never_said(inside: Sparring, tmp_path: Path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    folder = tmp_path / "served"
    folder.mkdir()
    with Server(folder, "--chatbot", "pizzeria", "--log-level", "debug", **WITH_TOKEN) as server:
        there = "--api-url", server.address
        without = inside("status", "latest", *there)
        wrong = inside("status", "latest", *there, env={"SPARRING_SERVE_TOKEN": "another-token-0123456789"})
        right = inside("status", "latest", *there, "--token-file", "token")
        server.process.terminate()
        said = "".join(server.process.communicate(timeout=240)) + "".join(server.said)

    assert (without.returncode, wrong.returncode, right.returncode) == (2, 2, 2)
    assert "token required" in without.stderr
    assert "the server has no batches yet" in right.stderr
    assert TOKEN not in said + without.stderr + wrong.stderr + right.stderr
    assert all(TOKEN.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.process
def test_a_batch_that_a_server_left_is_read_and_cancelled_in_its_store(inside: Sparring, tmp_path: Path):
    code = "import asyncio\n\n\nasync def reply(messages, variables):\n    await asyncio.Event().wait()\n"
    (tmp_path / "silent.py").write_text(code, encoding="utf-8")
    with Server(tmp_path, "--chatbot", "python:silent:reply", "--concurrency", "1") as server:
        id = server.post("/api/batches", scenarios(2))["batch_id"]
        while_served = inside("cancel", id)
        server.kill()

    before = inside("status", id)
    cancelled = inside("cancel", id)
    after = inside("status", id)
    again = inside("cancel", id)

    assert (while_served.returncode, "a server runs the batches" in while_served.stderr) == (2, True)
    assert before.stdout.startswith((f"batch {id}: running", f"batch {id}: pending"))
    assert (cancelled.returncode, cancelled.stdout) == (0, f"batch {id}: cancelled\n")
    assert (after.returncode, after.stdout.splitlines()[0]) == (3, f"batch {id}: cancelled")
    assert again.returncode == 2


@pytest.mark.slow
def test_a_batch_of_the_command_line_has_a_status_too(inside: Sparring, profile: Path):
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--name", "nightly")

    done = inside("status", "nightly", "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["completed_scenarios"]) == (0, "completed", 3)
    assert told["created_at"] <= told["started_at"] <= told["completed_at"]
