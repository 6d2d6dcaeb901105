"""Conversations that do not count are held again, over REST and from the page of a batch."""

from pathlib import Path

import pytest

from web.conftest import Client, Open, events, launched, wait_for

pytestmark = pytest.mark.slow  # its tests play batches

HTML = {"accept": "text/html"}
BODY = [
    {"name": f"{mood} {n}", "variables": {"ORDER_GOAL": ["a coke"], "MOOD": mood}}
    for mood in ("good", "bad")
    for n in range(4)
]
MOODY = """
from pathlib import Path

def reply(messages, variables):
    file = Path(__file__).with_name("ill")
    said = file.read_text() if file.exists() else ""
    with Path(__file__).with_name("asked").open("a") as asked:
        asked.write("x")
    if said == "all" or (said == "some" and variables["MOOD"] == "bad"):
        raise RuntimeError("not today")
    return "One coke, that is $2. Goodbye."
"""


@pytest.fixture
def moody(tmp_path: Path) -> Path:
    (tmp_path / "moody.py").write_text(MOODY)
    (tmp_path / "ill").write_text("some")
    return tmp_path


def serving(opened: Open, moody: Path, **settings) -> Client:
    return opened(chatbots=(f"python:{moody / 'moody.py'}:reply",), concurrency=1, **settings)


def asked(moody: Path) -> int:
    return len((moody / "asked").read_text())


@pytest.mark.slow
def test_failed_conversations_are_retried_and_no_others(opened: Open, moody: Path):
    client = serving(opened, moody)
    id = launched(client, BODY)
    before = wait_for(client, id)
    first = {each["conversation_id"]: each for each in client.get(f"/api/batches/{id}/results").json()["results"]}
    (moody / "ill").unlink()
    already = asked(moody)

    answer = client.post(f"/api/batches/{id}/retry")
    after = wait_for(client, id)

    second = {each["conversation_id"]: each for each in client.get(f"/api/batches/{id}/results").json()["results"]}
    assert (before["completed_scenarios"], before["failed_scenarios"]) == (4, 4)
    assert (answer.status_code, answer.json()["status"]) == (200, "running")
    assert (after["status"], after["completed_scenarios"], after["failed_scenarios"]) == ("completed", 8, 0)
    assert {id: each for id, each in second.items() if first[id]["status"] == "completed"} == {
        id: each for id, each in first.items() if each["status"] == "completed"
    }
    assert asked(moody) - already == sum(each["total_turns"] for id, each in second.items() if each != first[id])
    assert [name for _, name, _ in events(client, id)].count("batch_finished") == 2


def test_where_there_is_nothing_to_try_again_it_is_said(opened: Open, moody: Path):
    (moody / "ill").unlink()
    client = serving(opened, moody)
    id = launched(client, BODY)
    wait_for(client, id)

    told = client.post(f"/api/batches/{id}/retry")

    assert (told.status_code, told.json()) == (
        409,
        {"error": "nothing to retry: the batch has no void or crashed conversation", "current_status": "completed"},
    )
    assert "/retry" not in client.get(f"/batches/{id}", headers=HTML).text


def test_a_running_batch_is_not_retried(opened: Open):
    client = opened(concurrency=1)
    id = launched(client, [{"name": f"{n}", "variables": {"ORDER_GOAL": ["a coke"]}} for n in range(80)])

    told = client.post(f"/api/batches/{id}/retry")
    client.post(f"/api/batches/{id}/cancel")

    assert (told.status_code, "still running" in told.json()["error"]) == (409, True)


def test_a_batch_that_is_tried_again_can_be_cancelled_and_tried_once_more(opened: Open, moody: Path):
    client = serving(opened, moody)
    id = launched(client, BODY)
    wait_for(client, id)

    client.post(f"/api/batches/{id}/retry")
    cancelled = client.post(f"/api/batches/{id}/cancel")
    (moody / "ill").unlink()
    client.post(f"/api/batches/{id}/retry")

    assert cancelled.status_code == 200
    assert wait_for(client, id)["completed_scenarios"] == 8


def test_a_server_that_is_stopped_while_it_tries_again_goes_on_with_that(opened: Open, moody: Path):
    (moody / "ill").write_text("all")
    client = serving(opened, moody)
    id = launched(client, BODY)
    wait_for(client, id)
    client.post(f"/api/batches/{id}/retry")
    client.stop()
    (moody / "ill").unlink()

    client = serving(opened, moody)

    assert wait_for(client, id)["completed_scenarios"] == 8


def test_the_page_of_a_batch_offers_it(opened: Open, moody: Path):
    client = serving(opened, moody)
    id = launched(client, BODY)
    wait_for(client, id)
    page = client.get(f"/batches/{id}", headers=HTML).text
    (moody / "ill").unlink()

    answer = client.post(f"/batches/{id}/retry", follow_redirects=False)

    assert f'action="/batches/{id}/retry"' in page
    assert "Retry 4 conversations" in page
    assert answer.headers["location"] == f"/batches/{id}"
    assert wait_for(client, id)["failed_scenarios"] == 0
