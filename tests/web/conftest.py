import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from sparring.settings import Serve, Settings
from sparring.store.redaction import Redaction
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.memory_store import MemoryStore
from sparring.web.app import application, guarded

Client = TestClient
Open = Callable[..., TestClient]

ADDRESS = "http://127.0.0.1:5000"


@pytest.fixture(scope="session")
def routes() -> list[BaseRoute]:
    """The routes of the service: the same in every app, and longer in the making than most tests take."""
    return application(MemoryStore(), Settings(), {}).router.routes


@pytest.fixture
def opened(tmp_path: Path, routes: list[BaseRoute]) -> Iterator[Open]:
    """Opens a service over the same store each time, as its operator would; keywords are settings of `serve`.

    What it returns has `stop`, which stops it in good order, and `app_state`, which is the state of the app.
    """
    with ExitStack() as stack:

        def open_one(
            *,
            token: str = "",
            path: Path = tmp_path / "sparring.db",
            environment: Mapping[str, str] | None = None,
            **serve: Any,
        ) -> TestClient:
            offered = {"chatbots": ("pizzeria",), "models": ("offline",), **serve}
            kept = {
                "concurrency": 4,
                **{
                    name: offered.pop(name)
                    for name in ("concurrency", "gate", "judge", "prices", "reader", "redact", "user")
                    if name in offered
                },
            }
            settings = Settings(store=path, serve=Serve(**offered), **kept)
            app = application(SqliteStore(path, redaction=Redaction(settings.redact)), settings, environment or {})
            app.router.routes[:] = routes
            headers = {"authorization": f"Bearer {token}"} if token else {}
            client = TestClient(guarded(app, settings, token), ADDRESS, headers=headers, raise_server_exceptions=False)
            mine = stack.enter_context(ExitStack())
            mine.enter_context(client)
            client.app_state, client.stop = app.state, mine.close  # type: ignore[attr-defined]
            return client

        yield open_one


@pytest.fixture
def client(opened: Open) -> TestClient:
    """A service that offers the pizzeria, offline."""
    return opened()


def scenario(name: str = "Calm reorder", **variables: Any) -> dict[str, Any]:
    """A scenario of the calling service."""
    goal = [{"name": "a large custom pizza with ham", "qty": 1}]
    return {"name": name, "variables": {"ORDER_GOAL": goal, "SEED": 7, **variables}}


def scenarios(number: int) -> list[dict[str, Any]]:
    return [scenario(f"Order {n}", SEED=n) for n in range(number)]


def launched(client: TestClient, body: Any) -> str:
    """The id of a batch that was launched."""
    answer = client.post("/api/batches", json=body)
    assert answer.status_code == 201, answer.text
    id: str = answer.json()["batch_id"]
    return id


def finished(client: TestClient, body: Any) -> str:
    """The id of a batch that was launched, and is at its end."""
    id = launched(client, body)
    wait_for(client, id)
    return id


def wait_for(client: TestClient, id: str) -> dict[str, Any]:
    """The status of a batch when it is at its end: events end then, so there is nothing to wait for but them."""
    events(client, id)
    for _ in range(10_000):
        status: dict[str, Any] = client.get(f"/api/batches/{id}").json()
        if status["status"] not in ("pending", "running"):
            return status
        time.sleep(0.01)
    raise AssertionError(status)


def events(client: TestClient, id: str, **headers: str) -> list[tuple[str, str, Any]]:
    """(number, name, data) of all events of a batch, until it is at its end."""
    text = client.get(f"/api/batches/{id}/events", headers=headers).text
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return found
