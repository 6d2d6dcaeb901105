"""Servers that crash at a pizza: `python crashing_server.py KIND`. The port is written first.

- `closes`: the connection closes without an answer.
- `fails`: HTTP 500; soon afterwards the connection closes, although nothing said so.
- `forks`: each connection has a process of its own, which dies.
- `socket`: a WebSocket, whose connection breaks.
- `lines`: a program that reads lines, and dies.
"""

import json
import os
import socket
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PIZZA = "🍕"


class Handler(BaseHTTPRequestHandler):
    """Answers every message and keeps connections."""

    protocol_version = "HTTP/1.1"
    kind = ""

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        if PIZZA in said:
            self.close_connection = True
            if self.kind == "fails":
                self._answer(500, "oops")
                time.sleep(0.02)
            elif self.kind != "closes":
                os._exit(1)
            return
        self._answer(200, f"You said: {said}")

    def _answer(self, status: int, text: str) -> None:
        body = json.dumps({"message": text}).encode()
        head = f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)

    def log_message(self, *_: Any) -> None: ...


class Threads(ThreadingHTTPServer):
    request_queue_size = 512


class Forks(socketserver.ForkingMixIn, Threads):
    max_children = 512
    block_on_close = False


def serve(kind: str) -> None:
    Handler.kind = kind
    server = (Forks if kind == "forks" else Threads)(("127.0.0.1", 0), Handler)
    report(server.server_address[1])
    server.serve_forever()


def report(said: object) -> None:
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


async def talk(request: Any) -> Any:
    from aiohttp import WSMsgType, web

    line = web.WebSocketResponse()
    await line.prepare(request)
    async for frame in line:
        if frame.type is not WSMsgType.TEXT:
            break
        if PIZZA in frame.data:
            request.transport.abort()
            break
        await line.send_json({"message": f"You said: {frame.data}"})
    return line


def serve_sockets() -> None:
    from aiohttp import web

    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    report(listener.getsockname()[1])
    app = web.Application()
    app.router.add_get("/chat", talk)
    web.run_app(app, sock=listener, print=None)


def read_lines() -> None:
    for line in sys.stdin:
        if PIZZA in line:
            sys.exit("out of memory")
        report(f"You said: {line.strip()}")


if __name__ == "__main__":
    if sys.argv[1] == "lines":
        read_lines()
    elif sys.argv[1] == "socket":
        serve_sockets()
    else:
        serve(sys.argv[1])
