import io
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from command_line import Sparring, profile, sparring
from sparring.cli import call

__all__ = ["bot", "inside", "profile", "sparring"]


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sparring:
    """The same as `sparring`, in this process: for what needs none of its own, and there is much of it."""

    def called(*arguments: str, env: dict[str, str] | None = None, stdin: str = "") -> CompletedProcess[str]:
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr("sys.stdin", io.StringIO(stdin))
            for name in set(os.environ) - {"PATH", "HOME"}:
                patch.delenv(name)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            capsys.readouterr()
            code = call([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return CompletedProcess(arguments, code, said.out, said.err)

    return called


class Bot(ThreadingHTTPServer):
    """A chatbot's server, which answers everything with `answer`, or `raw` bytes, and remembers what it was asked."""

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
        content = self.server.raw or json.dumps(self.server.answer).encode()
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
