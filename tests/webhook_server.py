"""A webhook on this machine, for programs of their own."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Webhook(ThreadingHTTPServer):
    """Gives these variables to any client and counts the requests; None is a failure."""

    variables: dict[str, Any] | None = None
    asked = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Webhook

    def do_GET(self) -> None:
        self.server.asked += 1
        body = json.dumps({"call_inbound": {"dynamic_variables": self.server.variables}}).encode()
        self.send_response(404 if self.server.variables is None else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def webhook(variables: dict[str, Any] | None) -> Iterator[Webhook]:
    with Webhook(("127.0.0.1", 0), _Handler) as server:
        server.variables = variables
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
