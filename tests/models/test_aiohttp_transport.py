import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from sparring.models.aiohttp_transport import AiohttpTransport
from sparring.models.transport import CutOff, TransportError

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[str]:
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_bytes_go_out_and_come_back_with_status_and_lower_case_headers(transport: AiohttpTransport):
    async def echo(request: web.Request) -> web.Response:
        return web.Response(status=418, body=await request.read(), headers={"X-Method": request.method})

    async with serving(echo) as url:
        response = await transport.send("PUT", f"{url}/a?b=c", headers={"a": "b"}, body=b"\x00tea")

    assert (response.status, response.headers["x-method"], response.body) == (418, "PUT", b"\x00tea")


async def test_a_large_body_is_sent_without_a_warning(transport: AiohttpTransport):
    async def size(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    async with serving(size) as url:
        response = await transport.send("POST", url, headers={}, body=b"x" * 3 * 2**20)

    assert response.body == b"3145728"


async def test_an_answer_that_is_too_large_is_refused_also_when_it_came_compressed():
    async def bomb(request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(b"0" * 2**22), headers={"content-encoding": "gzip"})

    async with serving(bomb) as url, AiohttpTransport(max_bytes=2**20) as transport:
        with pytest.raises(TransportError, match=r"^the answer is larger than 1,048,576 bytes$"):
            await transport.send("GET", url, headers={})


async def test_redirects_are_answers_and_cookies_are_forgotten(transport: AiohttpTransport):
    seen = []

    async def redirect(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers.get("cookie")))
        return web.Response(status=302, headers={"location": "/elsewhere", "set-cookie": "session=1"})

    async with serving(redirect) as url:
        responses = [await transport.send("GET", url, headers={"authorization": "Bearer k"}) for _ in range(2)]

    assert ([response.status for response in responses], seen) == ([302, 302], [("/", None), ("/", None)])


async def test_a_proxy_of_the_environment_is_not_asked(transport: AiohttpTransport, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    async def hello(request: web.Request) -> web.Response:
        return web.Response(text="hello")

    async with serving(hello) as url:
        assert (await transport.send("GET", url, headers={})).body == b"hello"


async def test_a_connection_is_used_again(transport: AiohttpTransport):
    peers = set()

    async def peer(request: web.Request) -> web.Response:
        peers.add(request.transport.get_extra_info("peername"))
        return web.Response()

    async with serving(peer) as url:
        for _ in range(3):
            await transport.send("POST", url, headers={}, body=b"x")

    assert len(peers) == 1


async def test_an_answer_that_breaks_off_is_cut_off(transport: AiohttpTransport):
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-length": "100"})
        await response.prepare(request)
        await response.write(b"half")
        request.transport.close()
        return response

    async with serving(half) as url:
        with pytest.raises(CutOff, match=r"^the answer was cut off: "):
            await transport.send("GET", url, headers={})


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("http://127.0.0.1:1/", {}),
        ("http://nowhere.invalid/", {}),
        ("nonsense", {}),
        ("http://127.0.0.1:99999/", {}),
        ("http://127.0.0.1/", {"a": "b\r\nc: d"}),
    ],
)
async def test_whatever_goes_wrong_is_a_transport_error_that_drags_no_other_along(
    transport: AiohttpTransport, url: str, headers: dict[str, str]
):
    with pytest.raises(TransportError) as caught:
        await transport.send("GET", url, headers=headers)

    assert (caught.value.__cause__, caught.value.__context__, str(caught.value) != "") == (None, None, True)


async def test_what_is_not_http_is_a_transport_error(transport: AiohttpTransport):
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"220 mail.example.org ESMTP\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(TransportError):
            await transport.send("GET", f"http://127.0.0.1:{port}/", headers={})


async def test_before_it_is_opened_and_after_it_is_closed_nothing_is_sent():
    transport = AiohttpTransport()
    async with transport:
        pass

    with pytest.raises(TransportError, match=r"^the connections are not open$"):
        await transport.send("GET", "http://127.0.0.1/", headers={})


async def test_a_deadline_around_it_hangs_up(transport: AiohttpTransport):
    hung_up = asyncio.Event()

    async def forever(request: web.Request) -> web.StreamResponse:
        try:
            await asyncio.Event().wait()
        finally:
            hung_up.set()
        raise AssertionError

    async with serving(forever) as url:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await transport.send("GET", url, headers={})
        await asyncio.wait_for(hung_up.wait(), 5)
