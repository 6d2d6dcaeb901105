"""A provider that gives the key back in whatever it says: no response, page, event, log, file or error may hold it."""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from fastapi.routing import iter_route_contexts

from command_line import called
from sparring.settings import Settings
from sparring.testing.memory_store import MemoryStore
from sparring.web.app import application
from web.serving import Server

pytestmark = pytest.mark.process

KEY = "Qx7planted+provider/key9Zw4"
OTHER = "Vb2planted-chatbot-token8Kd"
PIECES = (KEY, OTHER, KEY[:14], OTHER[:14], quote(KEY), quote(KEY, safe=""))
SPEC = {
    "spec.yaml": "entry: sales\nagents: {sales: {prompt: sales.md}}\n",
    "sales.md": "You sell drinks.\n",
    "shop.yaml": "url: URL/shop\n"
    "headers: {Authorization: 'Token ${SHOP_TOKEN}'}\nbody: {text: '{{message}}'}\nreply: text\n",
}


WELL = "lemonade"
"""A path that is answered without an error."""
REFUSED = "bitters"
"""Asking for this is rejected for its key, which stops a batch."""
DRINKS = ("espresso", "kombucha", "horchata", "limoncello", "cappuccino", "sarsaparilla", "grenadine", WELL)


class Echoing(ThreadingHTTPServer):
    """Answers well now and then, and otherwise says in every way that the key is wrong, and which it was.

    The answer follows from the drink and from how often it was asked for, so that the order of arrival is all one.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heard = ""
        self.times = Counter[tuple[str, str]]()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Echoing
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers.get("content-length", 0)))
        sent = self.headers.get("authorization", "")
        self.server.heard += sent
        drink = next((drink for drink in DRINKS if drink.encode() in asked), WELL)
        number = _GOOD if drink == WELL else DRINKS.index(drink) + self.server.times[self.path, drink]
        self.server.times[self.path, drink] += 1
        status, body = _answer(number, sent)
        if REFUSED.encode() in asked:
            status, body = 401, _answer(0, sent)[1]
        self.send_response(status, f"No {sent}"[:60])
        self.send_header("content-length", str(len(body)))
        self.send_header("content-type", "application/json")
        self.send_header("x-echo", sent)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


_GOOD = 1
"""The number of an answer with nothing wrong."""


def _answer(number: int, sent: str) -> tuple[int, bytes]:
    key = sent.partition(" ")[2]
    told = {"error": {"message": f"Incorrect API key provided: {key}.", "type": sent, "code": key, "param": [key]}}
    good = {"choices": [{"message": {"role": "assistant", "content": "A coke. Goodbye."}, "finish_reason": "stop"}]}
    answers = (
        (409, json.dumps(told)),
        (200, json.dumps({**good, "text": "A coke. Goodbye."})),
        (400, f"<html>no {sent} {quote(sent)}</html>"),
        (200, json.dumps(told)),
        (200, json.dumps({**good, "text": "A coke. Goodbye."})),
        (422, json.dumps({"detail": [{"msg": sent, "input": {"headers": {"Authorization": sent}}}]})),
        (200, f"not json at all: {sent}"),
        (406, json.dumps(sent)),
    )
    status, body = answers[number % len(answers)]
    return status, body.encode()


@pytest.fixture
def provider() -> Iterator[Echoing]:
    with Echoing() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_key_echoed_by_a_server_is_not_passed_on(provider: Echoing, tmp_path: Path):
    folder, model = tmp_path, f"{provider.url}/v1#m"
    for name, text in SPEC.items():
        (folder / name).write_text(text.replace("URL", provider.url))
    (folder / ".env").write_text(f"SPARRING_API_KEY={KEY}\nSHOP_TOKEN={OTHER}\n")
    offered = (
        "--chatbot",
        "prompted:.",
        "--chatbot",
        "http:shop.yaml",
        "--model",
        model,
        "--user",
        "agenda",
        "--reader",
        "patterns",
    )
    with Server(folder, *offered, "--judge", model, "--log-level", "debug", SPARRING_RETRY_SECONDS="1") as server:
        ids = [
            server.post("/api/batches", {"scenarios": _scenarios(), "chatbot": chatbot})["batch_id"]
            for chatbot in ("prompted:.", "http:shop.yaml")
        ]
        for id in ids:
            server.events(f"/api/batches/{id}/events")
        stopped = {"scenarios": _scenarios((REFUSED,)), "chatbot": "http:shop.yaml"}
        ids.append(server.post("/api/batches", stopped)["batch_id"])
        told = {f"events of {id}": json.dumps(server.events(f"/api/batches/{id}/events")) for id in ids}
        told |= {path: _text(server.address + path) for path in _paths(server, ids)}
        told["refused"] = _text(f"{server.address}/api/batches", json.dumps({"scenarios": KEY}).replace(KEY, "x"))
        server.process.terminate()
        told["said"] = "".join(server.process.communicate(timeout=240)) + "".join(server.said)
    for command in ("show", "cost", "fetch", "report"):
        done = called(command, ids[0], folder=folder, env={})
        told[command] = done.stdout + done.stderr
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".env"}

    assert (KEY in provider.heard, OTHER in provider.heard) == (True, True), "nobody was given a key to echo"
    errors = [each["error"] for id in ids[:2] for each in json.loads(told[f"/api/batches/{id}/results"])["results"]]
    rejected = json.loads(told[f"/api/batches/{ids[2]}"])
    assert ("HTTP 401" in rejected["error_message"], rejected["status"]) == (True, "failed"), "no batch was stopped"
    assert sum("[redacted]" in (each or "") for each in errors) >= 4, errors
    assert any(each is None for each in errors), "no conversation went well, so that no judge was asked"
    assert "A coke. Goodbye." in told[f"/api/batches/{ids[0]}/results?transcripts=1"]
    assert [(name, piece) for name, text in told.items() for piece in PIECES if piece in text] == []
    assert [(name, piece) for name, text in files.items() for piece in PIECES if piece.encode() in text] == []
    assert {Path(path).name.partition("_")[0] for path in files} >= {"app", "error", "tokens", "conversations"}


def _scenarios(drinks: tuple[str, ...] = DRINKS) -> list[dict[str, object]]:
    return [{"name": f"n{n}", "variables": {"ORDER_GOAL": [f"a {drink}"], "SEED": n}} for n, drink in enumerate(drinks)]


def _paths(server: Server, ids: list[str]) -> Iterator[str]:
    """Everything that can be got, of both batches and all of their conversations."""
    routes = iter_route_contexts(application(MemoryStore(), Settings(), {}).routes)
    templates = [each.path for each in routes if "GET" in (each.methods or ())]
    streams = ("/events", "/live")
    hash = server.get("/api/prompts")["prompts"][0]["hash"]
    for template in (each for each in templates if not each.endswith(streams)):
        for id in ids if "{id}" in template else ids[:1]:
            found = [
                each["conversation_id"] for each in server.get(f"/api/batches/{id}/conversations")["conversations"]
            ]
            path = template.replace("{id}", id).replace("{hash}", hash)
            if "{conversation" in path:
                yield from (re.sub(r"{conversation[^}]*}", each, path) for each in found)
            else:
                asking = [f"?id={quote(each)}" for each in found] if "conversation" in path.rpartition("/")[2] else []
                yield from (
                    path,
                    f"{path}?before={ids[0]}&after={ids[1]}&with={ids[1]}",
                    *(path + each for each in asking),
                )
    for id in ids:
        yield from (f"/api/batches/{id}/results?{each}" for each in ("transcripts=1", "format=csv", "format=ndjson"))


def _text(url: str, body: str | None = None) -> str:
    headers = {"accept": "*/*" if "/api/" in url else "text/html", "content-type": "application/json"}
    try:
        with urlopen(Request(url, body.encode() if body else None, headers), timeout=240) as answer:
            return answer.read().decode()
    except HTTPError as error:
        with error:
            return error.read().decode()
