"""Who may do what: every route, for every role and for none."""

import re
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from sparring.core.events import Event
from sparring.store.store import Store
from sparring.store.tokens import TokenRole, Tokens
from web.conftest import Client, Open, events, finished, launched, scenarios

BATCH = "01J0000000000000000000000A"
HTML = {"accept": "text/html"}
NOW = datetime(2026, 3, 2, tzinfo=UTC)
OPEN = {("GET", "/login"), ("POST", "/login"), ("*", "/static")}
RUN = {
    ("GET", "/launch"),
    ("POST", "/launch"),
    ("POST", "/launch/plan"),
    ("POST", "/demo"),
    ("POST", "/prompts/{hash}/edit"),
    ("POST", "/batches/{id}/cancel"),
    ("POST", "/batches/{id}/resume"),
    ("POST", "/batches/{id}/rerun"),
    ("POST", "/batches/{id}/retry"),
    ("POST", "/api/batches/{id}/retry"),
    ("POST", "/api/prompts"),
    ("POST", "/api/prompts/validate"),
    ("POST", "/api/prompts/{hash}/duplicate"),
    ("POST", "/batches/{id}/verdicts"),
    ("POST", "/batches/{id}/calibrate"),
    ("POST", "/batches/{id}/canaries"),
    ("POST", "/batches/{id}/labels"),
    ("POST", "/batches/{id}/marks"),
    ("POST", "/api/batches/{id}/labels"),
    ("POST", "/api/batches/{id}/labels/import"),
    ("POST", "/api/batches/{id}/rerun"),
    ("POST", "/api/batches/{id}/promote"),
    ("POST", "/api/import"),
    ("POST", "/api/batches/{id}/calibrate"),
    ("POST", "/api/batches/{id}/check"),
    ("POST", "/api/batches/{id}/judge"),
    ("POST", "/api/batches/{id}/verdicts"),
    ("POST", "/api/batches/{id}/accept"),
    ("POST", "/api/validate"),
    ("POST", "/api/canaries"),
    ("POST", "/api/plan"),
    ("POST", "/api/batches"),
    ("POST", "/api/batches/{id}/cancel"),
    ("POST", "/api/batches/{id}/resume"),
}
ADMIN = {("DELETE", "/api/batches/{id}")}
READ = {("POST", "/logout")}
"""What changes nothing but the browser that asks; and everything that is merely got."""


def routes(client: TestClient) -> list[tuple[str, str]]:
    app: Any = client.app
    return [
        (method, context.path)
        for context in iter_route_contexts(app.app.app.routes)
        for method in sorted(context.methods or {"*"})
        if method != "HEAD"
    ]


def needed(method: str, path: str) -> TokenRole | None:
    """What a route is meant to need. One that changes something and is listed nowhere is a mistake here."""
    for role, listed in ((None, OPEN), (TokenRole.READ, READ), (TokenRole.RUN, RUN), (TokenRole.ADMIN, ADMIN)):
        if (method, path) in listed:
            return role
    assert method == "GET", f"{method} {path} is new: say who may ask for it"
    return TokenRole.READ


def tokens_of(path: Path) -> dict[TokenRole | None, str]:
    tokens = Tokens(path)
    return {None: "", **{role: str(tokens.add(role, role, now=NOW)) for role in TokenRole}}


def bearing(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "sparring.db"


@pytest.mark.slow
def test_every_route_is_open_to_permitted_roles_only(opened: Open, store: Path):
    tokens = tokens_of(store)
    client = opened(path=store)
    wrong = []
    for method, template in routes(client):
        path = re.sub(r"{[^}]+}", BATCH, template) + ("/sparring.css" if method == "*" else "")
        least = needed(method, template)
        for role, token in tokens.items():
            answer = client.request(
                "GET" if method == "*" else method, path, headers=bearing(token), follow_redirects=False
            )
            expected = {401} if role is None else {403}
            refused = least is not None and (role is None or not role.may(least))
            if (answer.status_code in expected) if refused else (answer.status_code not in (401, 403)):
                continue
            wrong.append((method, path, role, answer.status_code))

    assert wrong == []
    assert {TokenRole.READ, TokenRole.RUN, TokenRole.ADMIN, None} == {needed(*route) for route in routes(client)}


def test_unknown_routes_are_closed_too(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)

    told = [client.request(*asked).status_code for asked in (("GET", "/nothing"), ("POST", "/api/x"), ("PUT", "/"))]
    reader = [
        client.request(method, "/api/x", headers=bearing(tokens[TokenRole.READ])).status_code
        for method in ("PUT", "POST")
    ]

    assert (told, reader) == ([401] * 3, [403] * 2)


def test_a_refusal_names_the_role_that_is_needed(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)

    answer = client.delete(f"/api/batches/{BATCH}", headers=bearing(tokens[TokenRole.RUN]))

    assert answer.json() == {"error": "role admin required; your token has the role run"}


@pytest.mark.slow
def test_each_role_does_its_work(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)
    client.headers.update(bearing(tokens[TokenRole.RUN]))
    id = finished(client, scenarios(2))
    client.headers.update(bearing(tokens[TokenRole.READ]))
    heard = events(client, id)
    results = client.get(f"/api/batches/{id}/results")
    client.headers.update(bearing(tokens[TokenRole.ADMIN]))
    deleted = client.delete(f"/api/batches/{id}")

    assert (heard[-1][1], results.json()["total_results"], deleted.status_code) == ("done", 2, 204)


def test_the_token_of_the_operator_is_an_admins_and_works_beside_the_others(opened: Open, store: Path):
    tokens_of(store)
    client = opened(path=store, token="a-token-of-our-own-0123456789")

    assert client.delete(f"/api/batches/{BATCH}").status_code == 404


def test_a_token_opens_at_once_and_nothing_once_it_is_revoked(opened: Open, store: Path):
    client, tokens = opened(path=store), Tokens(store)
    before = client.get("/api/batches").status_code

    token = tokens.add("anna", TokenRole.READ, now=NOW)
    told = [client.get("/api/batches", headers=each).status_code for each in ({}, bearing(token))]
    tokens.revoke("anna")
    after = [client.get("/api/batches", headers=each).status_code for each in ({}, bearing(token))]

    assert (before, told, after) == (200, [401, 200], [401, 401])


@pytest.mark.slow
def test_a_token_opens_nothing_after_its_time(opened: Open, store: Path):
    now = datetime.now(UTC)
    tokens = Tokens(store)
    old = tokens.add("old", TokenRole.ADMIN, now=NOW, expires=now - timedelta(seconds=1))
    new = tokens.add("new", TokenRole.ADMIN, now=NOW, expires=now + timedelta(days=1))
    client = opened(path=store)

    assert [client.get("/", headers=bearing(each)).status_code for each in (old, new)] == [401, 200]


def test_a_hash_is_no_token_and_no_login(opened: Open, store: Path):
    tokens = Tokens(store)
    tokens.add("anna", TokenRole.ADMIN, now=NOW)
    hash = tokens.all()[0].hash
    client = opened(path=store)

    forged = {"cookie": f"sparring_login={hash}.99999999999.{'0' * 64}"}

    assert [client.get("/", headers=each).status_code for each in (bearing(hash), bearing(f"../{hash}"), forged)] == [
        401,
        401,
        401,
    ]


def logged_in(client: Client, token: str) -> Client:
    answer = client.post("/login", data={"token": token}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return client


def test_a_login_may_what_its_token_may(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)
    logged_in(client, tokens[TokenRole.READ])

    told = [
        client.get("/batches", headers=HTML).status_code,
        client.post("/demo", headers=HTML).status_code,
        client.get("/launch", headers=HTML).status_code,
        client.post("/api/batches", json=scenarios(1)).status_code,
        client.post("/logout", follow_redirects=False).status_code,
    ]

    assert told == [200, 403, 403, 403, 303]
    assert client.get("/api/batches").status_code == 401


def test_a_page_says_why_it_may_not_be_seen(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)
    answer = logged_in(client, tokens[TokenRole.READ]).get("/launch", headers=HTML)

    assert answer.headers["content-type"].startswith("text/html")
    assert "Role run required" in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")


def test_a_revoked_token_ends_its_logins(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)
    logged_in(client, tokens[TokenRole.RUN])
    before = client.get("/api/batches").status_code

    Tokens(store).revoke("run")

    assert (before, client.get("/api/batches").status_code) == (200, 401)


def test_a_login_cannot_be_turned_into_one_of_another_caller(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)
    logged_in(client, tokens[TokenRole.READ])
    cookie = client.cookies["sparring_login"]
    reader, _, rest = cookie.partition(".")
    admin = next(each.hash for each in Tokens(store).all() if each.role is TokenRole.ADMIN)
    client.cookies.clear()

    told = [
        client.get("/api/batches", headers={"cookie": f"sparring_login={each}"}).status_code
        for each in (cookie, f"{admin}.{rest}", f"operator.{rest}", f"{reader}.99999999999.{cookie[-64:]}")
    ]

    assert told == [200, 401, 401, 401]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/api/batches/{id}/events", "/batches/{id}/live"])
def test_a_revoked_token_receives_no_more_events(opened: Open, store: Path, path: str):
    tokens, client = tokens_of(store), opened(path=store, concurrency=1)
    client.headers.update(bearing(tokens[TokenRole.RUN]))
    id = launched(client, scenarios(400))
    heard = []

    def listen() -> None:
        heard.append(client.get(path.format(id=id), headers=bearing(tokens[TokenRole.READ])).text)

    listening, service = threading.Thread(target=listen), client.app_state.service
    listening.start()
    while not service.listener_limit.count:
        pass
    Tokens(store).revoke("read")
    listening.join()
    status = client.get(f"/api/batches/{id}").json()["status"]
    client.post(f"/api/batches/{id}/cancel")

    assert (status, "event: done" in heard[0]) == ("running", False)


class Revoking:
    """A store that revokes a token while its owner reads."""

    def __init__(self, store: Store, revoke: Callable[[], object]) -> None:
        self._store, self._revoke = store, revoke

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def events(self, batch: str, *, after: int) -> AsyncIterator[tuple[int, Event]]:
        async for number, event in self._store.events(batch, after=after):
            yield number, event
            if number == 3:
                self._revoke()


def test_a_revoked_token_receives_no_earlier_events(opened: Open, store: Path):
    tokens, client = tokens_of(store), opened(path=store)
    client.headers.update(bearing(tokens[TokenRole.RUN]))
    id = finished(client, scenarios(5))
    client.app_state.service.store = Revoking(client.app_state.service.store, lambda: Tokens(store).revoke("read"))

    heard = client.get(f"/api/batches/{id}/events", headers=bearing(tokens[TokenRole.READ])).text

    assert re.findall(r"^id: (\d+)$", heard, re.MULTILINE) == ["1", "2", "3"]


BUTTONS = re.compile(r'<(?:form|button|a)[^>]*(?:action|formaction|hx-post|href)="([^"]+)"')


def offered(client: Client, path: str) -> set[str]:
    answer = client.get(path, headers=HTML)
    assert answer.status_code == 200
    return set(BUTTONS.findall(answer.text))


@pytest.mark.slow
def test_pages_offer_only_permitted_actions(opened: Open, store: Path):
    tokens = tokens_of(store)
    client = opened(path=store, concurrency=1)
    empty = offered(logged_in(client, tokens[TokenRole.READ]), "/batches")
    client.headers.update(bearing(tokens[TokenRole.RUN]))
    done, stopped, playing = (
        finished(client, scenarios(1)),
        launched(client, scenarios(60)),
        launched(client, scenarios(900)),
    )
    client.post(f"/api/batches/{stopped}/cancel")
    conversation = f"/batches/{done}/conversation?id=scenarios/Order-0"
    paths = ("/batches", f"/batches/{done}", f"/batches/{stopped}", f"/batches/{playing}", conversation)
    runner = set().union(*(offered(client, path) for path in paths))
    client.headers.pop("authorization")
    reader = set().union(*(offered(client, path) for path in paths), empty)
    client.headers.update(bearing(tokens[TokenRole.ADMIN]))
    client.post(f"/api/batches/{playing}/cancel")

    wanted = {
        "/launch",
        f"/batches/{stopped}/resume",
        f"/batches/{playing}/cancel",
        f"/batches/{done}/rerun",
        f"/batches/{done}/verdicts",
    }
    assert wanted <= runner
    assert not [each for each in reader if each in wanted or each.startswith(("/launch", "/demo"))]
