from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sparring.settings import Serve, Settings
from sparring.store.sqlite.store import SqliteStore
from sparring.store.tokens import TokenRole, Tokens
from sparring.web.app import application, guarded
from sparring.web.security.access import RequestRate, client_network

HTML = {"accept": "text/html"}


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return datetime(2026, 3, 2, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds


def test_a_minute_s_requests_may_come_at_once_and_then_one_by_one():
    clock = Hand()
    pace = RequestRate(6, clock)

    burst = [pace.wait("anna", "api") for _ in range(8)]
    clock.seconds += 9
    early = pace.wait("anna", "api")
    clock.seconds += 1
    later = [pace.wait("anna", "api") for _ in range(2)]
    clock.seconds += 3600
    much_later = [pace.wait("anna", "api") for _ in range(7)]

    assert burst == [0] * 6 + [10, 10]
    assert (early, later, much_later) == (1, [0, 10], [0] * 6 + [10])


def test_callers_do_not_wait_for_each_other():
    pace = RequestRate(1, Hand())

    told = [pace.wait(*each) for each in (("a", "api"), ("a", "api"), ("b", "api"), ("a", "pages"), ("a", "events"))]

    assert told == [0, 60, 0, 0, 0]


def test_idle_callers_are_forgotten():
    pace = RequestRate(1, Hand())

    for n in range(20_000):
        pace.wait(str(n), "api")

    assert (len(pace._left), pace.wait("19999", "api"), pace.wait("0", "api")) == (10_000, 60, 0)


def test_one_line_is_one_caller():
    assert client_network("2001:db8::1") == client_network("2001:db8::ffff:2") != client_network("2001:db8:1::1")
    assert client_network("::ffff:192.0.2.1") == "192.0.2.1"
    assert (client_network("192.0.2.1"), client_network("testclient")) == ("192.0.2.1", "testclient")


def served(path: Path, clock: Hand, requests: int) -> TestClient:
    chosen = Settings(
        store=path, serve=Serve(chatbots=("pizzeria",), models=("offline",), requests_per_minute=requests)
    )
    app = application(SqliteStore(path), chosen, {})
    return TestClient(guarded(app, chosen, clock=clock), "http://127.0.0.1:5000", raise_server_exceptions=False)


@pytest.mark.slow
def test_a_rate_limited_caller_gets_retry_after(tmp_path: Path):
    clock = Hand()
    with served(tmp_path / "s.db", clock, 3) as client:
        answers = [client.get("/api/batches") for _ in range(4)]
        clock.seconds += 20
        again = client.get("/api/batches")

    assert [each.status_code for each in answers] == [200, 200, 200, 429]
    assert (answers[3].headers["retry-after"], again.status_code) == ("20", 200)
    assert answers[3].json() == {"error": "rate limit of 3 requests per minute exceeded"}
    assert answers[3].headers["x-content-type-options"] == "nosniff"


@pytest.mark.slow
def test_a_rate_limited_program_does_not_block_pages_or_subscribers(tmp_path: Path):
    with served(tmp_path / "s.db", Hand(), 5) as client:
        id = client.post("/api/batches", json=[{"name": "a", "variables": {"ORDER_GOAL": ["a coke"]}}]).json()[
            "batch_id"
        ]
        for _ in range(50):
            last = client.get(f"/api/batches/{id}")
        page, style = client.get(f"/batches/{id}", headers=HTML), client.get("/static/sparring.css")
        heard, live = client.get(f"/api/batches/{id}/events"), client.get(f"/batches/{id}/live")

    assert last.status_code == 429
    assert [each.status_code for each in (page, style, heard, live)] == [200] * 4
    assert "event: done" in heard.text


def test_a_page_that_is_asked_for_too_often_says_so(tmp_path: Path):
    with served(tmp_path / "s.db", Hand(), 1) as client:
        answer = [client.get("/batches", headers=HTML) for _ in range(2)][1]
        files = [client.get("/static/sparring.css").status_code for _ in range(9)]

    assert (answer.status_code, answer.headers["content-type"]) == (429, "text/html; charset=utf-8")
    assert "ate limit of 1 requests per minute" in answer.text
    assert files == [200] * 9


def test_unauthenticated_requests_count_against_their_own_limit(tmp_path: Path):
    token = Tokens(tmp_path / "s.db").add("anna", TokenRole.READ, now=Hand().now())
    with served(tmp_path / "s.db", Hand(), 3) as client:
        guesses = [client.get("/api/batches", headers={"authorization": f"Bearer {n}"}).status_code for n in range(5)]
        anna = [client.get("/api/batches", headers={"authorization": f"Bearer {token}"}).status_code for _ in range(4)]

    assert (guesses, anna) == ([401] * 3 + [429] * 2, [200] * 3 + [429])
