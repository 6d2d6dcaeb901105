import json
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from web.conftest import Open, launched, scenarios, wait_for
from web.serving import Server

CONVERSATIONS, AT_ONCE = 50, 8
HALTING = """\
import asyncio
from pathlib import Path

begun = 0


async def reply(messages, variables):
    global begun
    begun += len(messages) == 1
    while begun > 30 and len(messages) == 1 and not Path("go").exists():
        await asyncio.sleep(0.01)
    return "Goodbye."
"""


@pytest.mark.process
def test_a_killed_server_goes_on_where_it_was(tmp_path: Path):
    (tmp_path / "halting.py").write_text(HALTING, encoding="utf-8")
    operator = "--chatbot", "python:halting:reply", "--concurrency", str(AT_ONCE)
    with Server(tmp_path, *operator) as server:
        ids = [server.post("/api/batches", scenarios(CONVERSATIONS))["batch_id"] for _ in range(2)]
        while sum(server.get(f"/api/batches/{id}")["completed_scenarios"] for id in ids) < CONVERSATIONS // 5:
            time.sleep(0.1)
        server.kill()
    (tmp_path / "go").touch()
    stored = rows(tmp_path, "SELECT batch, position, recording FROM conversations")

    with Server(tmp_path, *operator) as server:
        done = [server.events(f"/api/batches/{id}/events")[-1] for id in ids]
        code = server.stop()

    assert [(name, data["status"], data["completed_scenarios"]) for name, data in done] == [
        ("done", "completed", CONVERSATIONS)
    ] * 2
    assert 0 < len(stored) < 2 * CONVERSATIONS, "the server was not killed in the middle"
    after = rows(tmp_path, "SELECT batch, position, recording FROM conversations")
    assert set(stored) <= set(after), "something that had ended was lost or run again"
    assert len(after) == 2 * CONVERSATIONS
    begun = Counter(
        (batch, json.loads(document)["conversation"])
        for batch, document in rows(tmp_path, "SELECT batch, document FROM events WHERE document IS NOT NULL")
        if b"conversation_started" in document
    )
    assert sum(times > 1 for times in begun.values()) <= AT_ONCE
    ended = rows(tmp_path, "SELECT batch, recording FROM events WHERE recording IS NOT NULL")
    assert len(ended) == len(set(ended)) == 2 * CONVERSATIONS, "every ending is told once"
    assert code == 0


@pytest.mark.slow
def test_a_server_that_is_stopped_leaves_the_rest_to_the_next(opened: Open):
    client = opened(concurrency=1)
    id = launched(client, scenarios(60))
    client.stop()

    client = opened()

    assert wait_for(client, id)["completed_scenarios"] == 60


@pytest.mark.slow
def test_a_limit_of_a_launch_holds_after_a_restart(opened: Open):
    client = opened(concurrency=1)
    id = launched(client, {"scenarios": scenarios(60), "max_conversations": 20})
    while not client.get(f"/api/batches/{id}").json()["completed_scenarios"]:
        time.sleep(0.01)
    client.stop()

    client = opened(concurrency=8)
    status = wait_for(client, id)

    assert status["completed_scenarios"] == 20
    assert "limit of 20 conversations reached" in status["error_message"]


def test_a_batch_whose_chatbot_is_not_offered_any_more_fails_and_says_why(opened: Open):
    client = opened(concurrency=1, chatbots=("pizzeria:fault=wrong_price",))
    id = launched(client, scenarios(60))
    client.stop()

    client = opened()

    status = wait_for(client, id)

    assert (status["status"], status["error_message"]) == (
        "failed",
        "chatbot 'pizzeria:fault=wrong_price' is not allowed on this server",
    )
    refused = client.post(f"/api/batches/{id}/resume")
    assert (refused.status_code, refused.json()["hint"]) == (409, "sparring serve --chatbot pizzeria:fault=wrong_price")


def rows(folder: Path, query: str) -> list[tuple]:
    with closing(sqlite3.connect(folder / ".sparring" / "sparring.db")) as connection:
        return connection.execute(query).fetchall()
