"""Half-open connections are closed in time, and leave room for others: over real sockets."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

import pytest
import uvicorn

from sparring.web.server import BoundedProtocol, ConnectionLimits, Connections

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
STREAM = GET.replace(b"/ ", b"/stream ", 1)
PATIENCE = 60
LONG = ConnectionLimits(header_seconds=PATIENCE, body_seconds=PATIENCE)

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Dial = Callable[[], Awaitable[Wire]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the size of the body; a stream never ends on its own."""
    if scope["type"] != "http":
        return
    size, more = 0, scope["path"] != "/stream"
    while more:
        event = await receive()
        size, more = size + len(event.get("body", b"")), event.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    body = str(size).encode()
    await send({"type": "http.response.body", "body": body, "more_body": scope["path"] == "/stream"})
    while scope["path"] == "/stream" and (await receive())["type"] != "http.disconnect":
        pass


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncIterator[Dial]:
    """Serve the app, and return how to connect to it. All connections are closed at the end."""
    protocol = cast("type[asyncio.Protocol]", partial(BoundedProtocol, Connections(limits)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=protocol, lifespan="off", log_config=None))
    config = server.config
    config.load()
    server.lifespan = config.lifespan_class(config)
    wires: list[Wire] = []
    await server.startup()
    host, port = server.servers[0].sockets[0].getsockname()[:2]

    async def dial() -> Wire:
        wires.append(await asyncio.open_connection(host, port))
        return wires[-1]

    try:
        yield dial
    finally:
        for _, writer in wires:
            writer.close()
        server.should_exit = True
        await server.shutdown()


async def ask(wire: Wire, sent: bytes = GET) -> bytes:
    """Send bytes, and return the status line; empty if the connection is closed."""
    reader, writer = wire
    writer.write(sent)
    async with asyncio.timeout(PATIENCE):
        return (await reader.readline()).strip()


async def closed(wire: Wire) -> bool:
    async with asyncio.timeout(PATIENCE):
        return await wire[0].read() == b""


@pytest.mark.parametrize("sent", [b"", b"GET / HT", GET[:-2]])
async def test_headers_must_arrive_in_time(sent: bytes, caplog: pytest.LogCaptureFixture):
    async with serving(ConnectionLimits(header_seconds=0.05)) as dial:
        wire = await dial()
        wire[1].write(sent)

        with caplog.at_level(logging.WARNING, "uvicorn.error"):
            assert await closed(wire)

    assert caplog.messages == ["closed a connection that did not send its request in time"]


async def test_headers_that_trickle_have_no_more_time():
    async with serving(ConnectionLimits(header_seconds=0.3)) as dial:
        reader, writer = await dial()
        ended = asyncio.create_task(reader.read())
        async with asyncio.timeout(PATIENCE):
            while not ended.done():
                writer.write(b"G")
                await asyncio.sleep(0.05)


async def test_a_body_must_arrive_in_time():
    async with serving(ConnectionLimits(body_seconds=0.05)) as dial:
        wire = await dial()
        wire[1].write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")

        assert await closed(wire)


async def test_a_large_body_has_more_time():
    limits = ConnectionLimits(body_seconds=0.01, body_bytes_per_second=1)
    async with serving(limits) as dial:
        wire = await dial()
        wire[1].write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n")
        await asyncio.sleep(0.2)

        assert await ask(wire, b"." * 60) == b"HTTP/1.1 200 OK"


async def test_an_answer_may_take_as_long_as_it_takes():
    async with serving(ConnectionLimits(header_seconds=0.05, body_seconds=0.05)) as dial:
        wire = await dial()
        assert await ask(wire, STREAM) == b"HTTP/1.1 200 OK"
        await asyncio.sleep(0.2)

        assert not wire[0].at_eof()


async def test_a_connection_is_used_again():
    async with serving(LONG) as dial:
        wire = await dial()
        for _ in range(3):
            assert await ask(wire) == b"HTTP/1.1 200 OK"
            await wire[0].readuntil(b"0\r\n\r\n")


@pytest.mark.parametrize("limits", [{"connections": 5}, {"per_address": 5}])
async def test_the_oldest_that_waits_makes_room(limits: dict[str, int]):
    async with serving(ConnectionLimits(header_seconds=PATIENCE, **limits)) as dial:
        busy = await dial()
        assert await ask(busy, STREAM) == b"HTTP/1.1 200 OK"
        waiting = [await dial() for _ in range(20)]

        assert await ask(await dial()) == b"HTTP/1.1 200 OK"
        assert [await closed(each) for each in waiting[:17]] == [True] * 17
        assert not busy[0].at_eof()


async def test_the_newest_is_closed_where_all_are_in_use():
    async with serving(ConnectionLimits(connections=3)) as dial:
        busy = [await dial() for _ in range(3)]
        assert [await ask(each, STREAM) for each in busy] == [b"HTTP/1.1 200 OK"] * 3

        assert await closed(await dial())
        assert [each[0].at_eof() for each in busy] == [False] * 3
