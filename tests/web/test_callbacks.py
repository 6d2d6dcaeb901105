"""Callbacks: an address that a launch names hears of the end of its batch, signed, and again until it accepts it."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread

import pytest

from sparring.app.callbacks import Callbacks, signature, signing_key
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.llm.client.transport import Response, TransportError
from web.conftest import Client, Open, finished, scenarios

SECRET = "not-a-secret-but-long-enough"


class Receiver(ThreadingHTTPServer):
    """A server that keeps what it is sent, and answers with `status`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiving)
        self.status = 204
        self.got: Queue[tuple[Mapping[str, str], bytes]] = Queue()
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class _Receiving(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.put(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *told: object) -> None: ...


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_the_callback_at_the_end_of_a_batch_has_its_figures_and_a_signature(
    opened: Open, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
):
    client = opened(callbacks=(receiver.url,), environment={"SPARRING_CALLBACK_SECRET": SECRET})
    id = finished(client, {"scenarios": scenarios(2), "name": "nightly", "callback_url": receiver.url})

    headers, body = receiver.got.get(timeout=60)

    told = json.loads(body)
    assert (told["type"], told["status"]["batch_id"], told["status"]["status"]) == ("batch.ended", id, "completed")
    assert told["batch"]["counts"]["planned"] == 2
    signed = f"{id}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
    assert (headers["webhook-id"], headers["webhook-signature"]) == (id, f"v1,{expected}")


def test_a_callback_that_was_not_accepted_is_made_again_after_a_restart(opened: Open, receiver: Receiver):
    receiver.status = 503
    client = opened(callbacks=(receiver.url,))
    id = finished(client, {"scenarios": scenarios(1), "callback_url": receiver.url})
    receiver.got.get(timeout=60)
    client.stop()
    receiver.status = 204
    while not receiver.got.empty():
        receiver.got.get()

    again = opened(callbacks=(receiver.url,))
    headers, _ = receiver.got.get(timeout=60)

    assert headers["webhook-id"] == id
    assert again.get(f"/api/batches/{id}").json()["status"] == "completed"


def test_only_addresses_that_the_operator_lists_are_called(client: Client, opened: Open):
    body = {"scenarios": scenarios(1), "callback_url": "http://169.254.169.254/"}
    listed = opened(callbacks=("https://ci.example/hooks",))

    refused = client.post("/api/batches", json=body)
    beside = listed.post("/api/batches", json={**body, "callback_url": "https://ci.example/hooksters"})

    assert (refused.status_code, refused.json()["problems"][0]["path"]) == (400, "callback_url")
    assert (beside.status_code, beside.json()["problems"][0]["path"]) == (400, "callback_url")


class Refusing:
    """A transport that fails and refuses before it accepts."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Response(answer, {}, b"")


async def test_a_callback_is_made_again_with_growing_waits():
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    callbacks = Callbacks(SystemClock(), SECRET, sleep=noted)
    accepted = await callbacks.deliver("http://me", "B", b"{}", Refusing(TransportError("gone"), 500, 404, 200))
    given_up = await callbacks.deliver("http://me", "B", b"{}", Refusing(*[500] * 8))

    assert (accepted, given_up, waits) == (True, False, [1, 2, 4, 1, 2, 4, 8, 16, 32, 64])


def test_a_secret_with_the_prefix_of_standard_webhooks_is_base64():
    key = bytes(range(24))

    made = signature(f"whsec_{base64.b64encode(key).decode()}", "msg_1", "1614265330", b'{"test": 1}')

    digest = hmac.new(key, b'msg_1.1614265330.{"test": 1}', hashlib.sha256).digest()
    assert made == f"v1,{base64.b64encode(digest).decode()}"


def test_a_secret_with_the_prefix_that_is_not_base64_is_refused():
    with pytest.raises(InputError, match="SPARRING_CALLBACK_SECRET is not base64 after 'whsec_'"):
        signing_key("whsec_%%%")


def test_a_signature_covers_id_time_and_body():
    made = {
        signature(SECRET, *parts) for parts in (("a", "1", b"x"), ("b", "1", b"x"), ("a", "2", b"x"), ("a", "1", b"y"))
    }

    assert len(made) == 4
