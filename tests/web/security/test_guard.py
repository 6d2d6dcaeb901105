import re
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from starlette.websockets import WebSocketDisconnect

from sparring.web.security.guard import is_loopback
from tables import table
from web.conftest import Client, Open, finished, scenarios

TOKEN = "a-token-of-our-own-0123456789"
OPEN = ("/login", "/static")
ID = "01J0000000000000000000000A"


def routes(client: Client) -> list[tuple[str, str]]:
    """Every method and path that the app answers to."""
    app: Any = client.app
    contexts = list(iter_route_contexts(app.app.app.routes))
    return [
        (method, re.sub(r"{[^}]+}", ID, context.path))
        for context in contexts
        for method in (*(context.methods or ()), "OPTIONS")
    ]


@pytest.mark.slow
def test_every_route_needs_the_token(opened: Open):
    client = opened(token=TOKEN)
    visited = routes(client)

    wrong = [
        (method, path, headers)
        for method, path in [*visited, ("GET", "/nothing"), ("GET", "/statics"), ("GET", "/login/x")]
        if path not in OPEN
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"})
        if client.request(method, path, headers={"authorization": "", **headers}).status_code != 401
    ]

    assert wrong == []
    assert len(visited) > 14


def test_the_token_opens_the_door(opened: Open):
    client = opened(token=TOKEN)

    assert client.get("/api/batches").status_code == 200
    assert client.get("/api/batches", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example.com", "127.0.0.1.example.com", "localhost.example.com:5000", "", "[::2]"]
)
def test_a_name_that_is_not_ours_is_refused(client: Client, host: str):
    assert client.get("/api/batches", headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:5000", "127.0.0.1:5000", "[::1]:5000"])
def test_a_name_of_this_machine_is_ours(client: Client, host: str):
    assert client.get("/api/batches", headers={"host": host}).status_code == 200


def test_a_name_that_the_operator_gives_is_ours(opened: Open):
    client = opened(hosts=("sparring.example.com",))

    assert client.get("/api/batches", headers={"host": "sparring.example.com"}).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.example.com"},
        {"origin": "http://localhost:3000"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:5000@evil.example.com"},
    ],
)
@pytest.mark.parametrize("method, path", [("POST", "/api/batches"), ("DELETE", f"/api/batches/{ID}")])
def test_pages_of_other_sites_change_nothing(client: Client, headers: dict[str, str], method: str, path: str):
    assert client.request(method, path, headers=headers).status_code == 403


def test_our_own_pages_may(client: Client):
    headers = {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:5000"}

    assert client.post("/api/batches", json=scenarios(1), headers=headers).status_code == 201


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_a_body_that_is_not_declared_as_json_is_refused(client: Client, kind: str):
    answer = client.post("/api/batches", content=b"[]", headers={"content-type": kind})

    assert answer.status_code == 415


def test_no_other_origin_is_allowed_to_read(client: Client):
    answer = client.get("/api/batches", headers={"origin": "http://evil.example.com"})

    assert [name for name in answer.headers if name.startswith("access-control")] == []


@pytest.mark.slow
def test_answers_forbid_what_they_do_not_need(client: Client):
    for path in ("/", "/docs", "/api/batches", "/nothing"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


def test_a_body_that_is_too_long_is_refused_however_it_comes(opened: Open):
    client = opened(max_body_bytes=1000)
    long = b"[" + b" " * 2000 + b"]"

    told = client.post("/api/batches", content=long, headers={"content-type": "application/json"})
    streamed = client.post(
        "/api/batches", content=iter([long[:900], long[900:]]), headers={"content-type": "application/json"}
    )

    assert (told.status_code, streamed.status_code) == (413, 413)


def test_no_more_batches_may_be_under_way_than_the_operator_allows(opened: Open):
    client = opened(max_batches=1, concurrency=1)

    told = [client.post("/api/batches", json=scenarios(100)) for _ in range(2)]

    assert [answer.status_code for answer in told] == [201, 429]
    assert told[1].headers["retry-after"] == "30"


@pytest.mark.slow
@pytest.mark.parametrize(
    "id",
    [
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e%2f%2e%2e%2fetc",
        "..\\..\\windows",
        "%00",
        "a" * 300,
        "CON",
        "01J0000000000000000000000A%0A",
        "01j0000000000000000000000a",
    ],
)
def test_an_id_is_no_path(client: Client, id: str):
    answer = client.get(f"/api/batches/{id}")

    assert answer.status_code in (404, 400)
    assert "passwd" not in answer.text or answer.status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("id", ["../../x", "%00", "x%0a", "a" * 400, "scenarios/../Order-0"])
def test_a_conversation_is_no_path(client: Client, id: str):
    batch = finished(client, scenarios(1))

    assert client.get(f"/api/batches/{batch}/conversations/{id}").status_code == 404


@table(
    "host, only_here",
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)
def test_what_only_this_machine_reaches(host: str, only_here: bool):
    assert is_loopback(host) is only_here


def test_nothing_but_http_is_let_through(client: Client):
    with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect("/api/batches"):
        pass

    assert refused.value.code == 1008


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/api/batches?limit=1001", f"/api/batches/{ID}/conversations?limit=0"])
def test_a_page_has_no_more_than_a_thousand(client: Client, path: str):
    batch = finished(client, scenarios(1))

    assert client.get(path.replace(ID, batch)).status_code == 400


def test_a_form_has_no_more_parts_than_it_needs_and_they_are_no_longer_than_a_request(opened: Open):
    client = opened(max_body_bytes=2_000_000)
    pages = {"accept": "text/html", "hx-request": "true"}
    files = [("files", (f"{n}.yml", b"name: a", "text/plain")) for n in range(201)]
    fields = {f"f{n}": "x" for n in range(801)}

    told = [
        client.post("/launch/plan", files=files, headers=pages).status_code,
        client.post("/launch/plan", data=fields, files=files[:1], headers=pages).status_code,
        client.post("/launch/plan", data={"file_text": "x" * 2_000_001}, headers=pages).status_code,
    ]

    assert told == [400, 400, 413]
