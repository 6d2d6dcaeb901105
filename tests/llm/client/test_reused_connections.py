"""Connections that a server closes between requests, with a server whose steps the test decides."""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any

import pytest
import uvloop

from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.transport import TransportError

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
FAILED = b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno"
LINGER_NOT = struct.pack("ii", 1, 0)
"""Closing then resets the connection."""


class Server(threading.Thread):
    """Answers each connection by its script: a response to send, `wait` for the test, `close` or `reset`."""

    def __init__(self, *scripts: tuple[bytes | str, ...]) -> None:
        super().__init__(daemon=True)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._scripts = scripts
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self.requests = [0] * len(scripts)
        self.closed = threading.Event()
        self.go_on = threading.Event()
        self._connections: list[socket.socket] = []

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self.join()
        for each in (self._listener, *self._connections):
            each.close()

    def run(self) -> None:
        with suppress(OSError):  # the test is over
            for number, script in enumerate(self._scripts):
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                self._talk(number, connection, script)

    def _talk(self, number: int, connection: socket.socket, script: tuple[bytes | str, ...]) -> None:
        for step in script:
            if step == "wait":
                self.go_on.wait()
            elif step in ("close", "reset"):
                if step == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
                connection.close()
                self.closed.set()
            elif step == "read" or isinstance(step, bytes):
                assert connection.recv(65536)
                self.requests[number] += 1
                connection.sendall(step if isinstance(step, bytes) else b"")


Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with asyncio.Runner(loop_factory=request.param) as runner:
        yield runner.run


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(*scripts: tuple[bytes | str, ...]) -> Server:
        servers.append(Server(*scripts))
        servers[-1].start()
        return servers[-1]

    yield start
    for each in servers:
        each.stop()


async def post(transport: HttpTransport, server: Server) -> int:
    async with asyncio.timeout(5):
        return (await transport.send("POST", server.url, headers={}, body=b"Hi")).status


def test_a_connection_with_a_failure_of_the_server_is_not_used_again(run: Run, serve: Callable[..., Server]):
    server = serve((FAILED,), (OK,))

    async def twice() -> list[int]:
        async with HttpTransport() as transport:
            return [await post(transport, server), await post(transport, server)]

    assert (run(twice()), server.requests) == ([503, 200], [1, 1])


def test_a_connection_that_the_server_closed_is_noticed_before_a_request_is_written(
    run: Run, serve: Callable[..., Server]
):
    server = serve((OK, "wait", "close"), (OK,))

    async def twice() -> list[int]:
        async with HttpTransport() as transport:
            first = await post(transport, server)
            server.go_on.set()
            server.closed.wait()  # without a turn of the event loop
            return [first, await post(transport, server)]

    assert (run(twice()), server.requests) == ([200, 200], [1, 1])


class Blind:
    """A poll that sees nothing: the server closes right after it looked."""

    def register(self, *what: object) -> None: ...

    def poll(self, timeout: int) -> list[object]:
        return []


def test_a_request_that_arrives_after_the_server_closed_is_sent_again(
    run: Run, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.llm.client.http_connection.select.poll", Blind)
    server = serve((OK, "wait", "close"), (OK,))

    async def twice() -> list[int]:
        async with HttpTransport() as transport:
            first = await post(transport, server)
            server.go_on.set()
            server.closed.wait()
            return [first, await post(transport, server)]

    assert (run(twice()), server.requests) == ([200, 200], [1, 1])


@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_request_that_the_server_read_is_never_sent_again(run: Run, serve: Callable[..., Server], end: str):
    server = serve((OK, "read", end), (OK,))

    async def twice() -> None:
        async with HttpTransport() as transport:
            await post(transport, server)
            with pytest.raises(TransportError):
                await post(transport, server)

    run(twice())
    assert server.requests == [2, 0]


def test_a_fresh_connection_that_the_server_closes_is_not_tried_again(run: Run, serve: Callable[..., Server]):
    server = serve(("close",), (OK,))

    async def once() -> None:
        async with HttpTransport() as transport:
            with pytest.raises(TransportError):
                await post(transport, server)

    run(once())
    assert server.requests == [0, 0]
