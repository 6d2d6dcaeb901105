import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from sparring.web.healthcheck import server_problem


class Answering(HTTPServer):
    """Gives one answer, and remembers who asked."""

    status, body = 200, b'{"status": "healthy"}'
    asked = ""


class _Handler(BaseHTTPRequestHandler):
    server: Answering

    def do_GET(self) -> None:
        self.server.asked = self.headers.get("authorization", "")
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Answering]:
    with Answering(("127.0.0.1", 0), _Handler) as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def test_a_server_that_is_well_is_well(server: Answering):
    told = server_problem({"PORT": str(server.server_port), "SPARRING_SERVE_TOKEN": "a-token\n"})

    assert (told, server.asked) == ("", "Bearer a-token")


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (503, b'{"status": "unhealthy"}', "is not healthy: HTTP 503"),
        (403, b'{"error": "no"}', "is not healthy: HTTP 403"),
        (200, b'{"status": "unhealthy"}', "is not healthy: HTTP 200"),
        (200, b"hello", "does not answer: JSONDecodeError"),
    ],
)
def test_anything_else_is_not(server: Answering, status: int, body: bytes, why: str):
    server.status, server.body = status, body

    assert server_problem({"SPARRING_PORT": str(server.server_port)}) == why


def test_a_missing_server_is_unhealthy():
    assert server_problem({"PORT": "1"}).startswith("does not answer")
    assert server_problem({"PORT": "http"}) == "does not answer: ValueError"


@pytest.mark.process
def test_the_healthcheck_imports_nothing_of_the_server():
    heavy = ("fastapi", "pydantic", "aiohttp")
    program = f"import sys, sparring.web.healthcheck; print([m for m in {heavy} if m in sys.modules])"

    assert json.loads(subprocess.check_output([sys.executable, "-c", program])) == []


def test_a_server_that_requires_a_token_is_healthy(server: Answering):
    server.status = 401

    assert server_problem({"PORT": str(server.server_port)}) == ""
    assert (
        server_problem({"PORT": str(server.server_port), "SPARRING_SERVE_TOKEN": "wrong"}) == "is not healthy: HTTP 401"
    )
