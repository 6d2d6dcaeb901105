import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from command_line import Sparring, called, profile, sparring

__all__ = ["bot", "inside", "profile", "sparring"]


@pytest.fixture
def inside(tmp_path: Path) -> Sparring:
    """The same as `sparring`, in this process: for what needs none of its own, and there is much of it."""

    def begun(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> CompletedProcess[str]:
        bare = {name: os.environ[name] for name in ("PATH", "HOME", "SPARRING_NULL_BOTS") if name in os.environ}
        return called(*arguments, folder=tmp_path, env={**bare, **(env or {})}, stdin=stdin)

    return begun


class Bot(ThreadingHTTPServer):
    """A chatbot's server, which answers with `answer`, or `raw` bytes, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.answer: Any = {"reply": "Hello, we are open from 9 to 5 and have tea."}
        self.raw = b""
        self.status = 200
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Bot

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.asked.append((self.command, self.path, dict(self.headers), body))
        answer = self.server.answer(body) if callable(self.server.answer) else self.server.answer
        content = self.server.raw or json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def bot() -> Iterator[Bot]:
    with Bot() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
