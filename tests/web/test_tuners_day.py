"""The day of a person who tunes a bot: edit prompts, launch calls, look, compare with yesterday, and hear of a fall."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sparring.core.checks import Gate
from web.conftest import Client, Open, finished, scenarios
from web.test_callbacks import Receiver, receiver

pytestmark = [pytest.mark.slow]
__all__ = ["receiver"]  # a fixture

CALLS = 40


class Judge(ThreadingHTTPServer):
    """A model that gives every conversation the same score, and quotes the chatbot's first words."""

    daemon_threads = True
    score = 3


class _Judging(BaseHTTPRequestHandler):
    server: Judge

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        lines = [json.loads(line) for line in asked["messages"][1]["content"].splitlines() if line.startswith("{")]
        said = next(each for each in lines if each.get("who") == "chatbot" and each["text"])
        quote = {"n": said["n"], "words": said["text"]}
        judgement = {"quotes": [quote], "comment": "It did what it should.", "score": self.server.score}
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": json.dumps(judgement)}}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *told: object) -> None: ...


@pytest.fixture
def judge() -> Iterator[Judge]:
    with Judge(("127.0.0.1", 0), _Judging) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def nightly(client: Client, judge: Judge, callback: str, **more: Any) -> str:
    return finished(
        client,
        {
            "scenarios": scenarios(CALLS),
            "model": "offline",
            "judge": f"http://127.0.0.1:{judge.server_port}/v1#m",
            "name": "nightly",
            "null_bots": False,
            "callback_url": callback,
            **more,
        },
    )


def test_forty_calls_that_fall_from_3_to_2_are_seen_everywhere(opened: Open, judge: Judge, receiver: Receiver):
    model = f"http://127.0.0.1:{judge.server_port}/v1#m"
    gate = Gate(mean_score=2.7, baseline="nightly")
    client = opened(models=("offline", model), callbacks=(receiver.url,), gate=gate)
    version = next(each for each in client.get("/api/prompts").json()["prompts"] if each["role"] == "chatbot")
    spec = client.get(f"/api/prompts/{version['hash']}").json()["spec"]
    spec["agents"]["chatbot"]["prompt"] += "\n\nBe brief.\n"
    client.post("/api/prompts", json={"name": "brief", "spec": spec})
    before = nightly(client, judge, receiver.url)
    judge.score = 2
    after = nightly(client, judge, receiver.url, prompts="brief")

    told = [json.loads(receiver.got.get(timeout=60)[1]) for _ in range(2)]
    compared = client.get(f"/api/compare?before={before}&after={after}").json()
    gated = client.get(f"/api/batches/{after}/gate").json()
    trend = client.get("/api/trend?name=nightly").json()["batches"]
    pages = {
        path: client.get(path, headers={"accept": "text/html"}).text
        for path in (f"/compare?before={before}&after={after}", "/trend?name=nightly", f"/batches/{after}", "/batches")
    }

    costs = [client.get(f"/api/batches/{each}/cost").json() for each in (before, after)]

    calls = [compared[side]["usage"]["calls"] for side in ("before", "after")]
    assert calls == [each["total_requests"] for each in costs]
    (change,) = compared["scores"]
    assert (change["change"]["before"], change["change"]["after"], change["change"]["direction"]) == (3, 2, "worse")
    assert (gated["came"], [each["score"] for each in trend]) == ("failed", [3.0, 2.0])
    assert [(each["change"], each["score_change"]) for each in trend] == [("", ""), ("", "worse")]
    assert [each["comparison"] is None for each in told] == [True, False]
    assert told[1]["comparison"]["scores"] == compared["scores"]
    assert told[1]["gate"]["came"] == "failed"
    scored = re.findall(r'<th scope="row">(\d)</th>.*?"n">(\d+)<.*?"n">(\d+)<', next(iter(pages.values())))
    assert scored == [("2", "0", str(CALLS)), ("3", str(CALLS), "0")]
    assert [path for path, text in pages.items() if "worse" not in text and "fell" not in text] == []
    assert "nightly @2</a>" in client.get("/prompts", headers={"accept": "text/html"}).text
    assert (
        client.get(f"/api/batches/{after}").json()["prompts"] != client.get(f"/api/batches/{before}").json()["prompts"]
    )
