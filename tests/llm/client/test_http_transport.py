import asyncio
import gzip
import socket
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path

import aiohttp
import pytest
import uvloop
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raw_server import BREAK, CLOSE, Script, saying
from sparring.core.version import __version__
from sparring.llm.client import http_transport
from sparring.llm.client.http_connection import decoded
from sparring.llm.client.http_transport import Found, HttpTransport, Names
from sparring.llm.client.transport import ConnectionLost, NoConnection, Response, TransportError
from sparring.llm.redaction import Hidden
from tables import table

SWITCHED = "the server wants to speak something else than HTTP"
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


async def test_bytes_go_out_and_come_back_with_status_and_lower_case_headers(transport: HttpTransport):
    async def echo(request: web.Request) -> web.Response:
        return web.Response(status=418, body=await request.read(), headers={"X-Method": request.method})

    async with serving(echo) as url:
        response = await transport.send("PUT", f"{url}/a?b=c", headers={"a": "b"}, body=b"\x00tea")

    assert (response.status, response.headers["x-method"], response.body) == (418, "PUT", b"\x00tea")


async def test_a_large_body_is_sent_without_a_warning(transport: HttpTransport):
    async def size(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    async with serving(size) as url:
        response = await transport.send("POST", url, headers={}, body=b"x" * 3 * 2**20)

    assert response.body == b"3145728"


async def test_an_answer_that_is_too_large_is_refused_also_when_it_came_compressed():
    async def bomb(request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(b"0" * 2**22), headers={"content-encoding": "gzip"})

    async with serving(bomb) as url, HttpTransport(max_bytes=2**20) as transport:
        with pytest.raises(TransportError, match=r"^the answer is larger than 1,048,576 bytes$"):
            await transport.send("GET", url, headers={})


async def test_redirects_are_answers_and_cookies_are_forgotten(transport: HttpTransport):
    seen = []

    async def redirect(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers.get("cookie")))
        return web.Response(status=302, headers={"location": "/elsewhere", "set-cookie": "session=1"})

    async with serving(redirect) as url:
        responses = [await transport.send("GET", url, headers={"authorization": "Bearer k"}) for _ in range(2)]

    assert ([response.status for response in responses], seen) == ([302, 302], [("/", None), ("/", None)])


async def test_a_proxy_of_the_environment_is_not_asked(transport: HttpTransport, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    async def hello(request: web.Request) -> web.Response:
        return web.Response(text="hello")

    async with serving(hello) as url:
        assert (await transport.send("GET", url, headers={})).body == b"hello"


async def test_a_connection_is_used_again(transport: HttpTransport):
    peers = set()

    async def peer(request: web.Request) -> web.Response:
        peers.add(request.transport.get_extra_info("peername"))
        return web.Response()

    async with serving(peer) as url:
        for _ in range(3):
            await transport.send("POST", url, headers={}, body=b"x")

    assert len(peers) == 1


async def test_an_answer_that_breaks_off_is_cut_off(transport: HttpTransport):
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-length": "100"})
        await response.prepare(request)
        await response.write(b"half")
        request.transport.close()
        return response

    async with serving(half) as url:
        with pytest.raises(ConnectionLost, match=r"^the answer was cut off: "):
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
async def test_any_failure_is_a_transport_error_of_one_request(
    transport: HttpTransport, url: str, headers: dict[str, str]
):
    with pytest.raises(TransportError) as caught:
        await transport.send("GET", url, headers=headers)

    assert (caught.value.__cause__, caught.value.__context__, str(caught.value) != "") == (None, None, True)


async def test_bytes_other_than_http_are_a_transport_error(transport: HttpTransport):
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"220 mail.example.org ESMTP\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(TransportError):
            await transport.send("GET", f"http://127.0.0.1:{port}/", headers={})


async def test_before_it_is_opened_and_after_it_is_closed_nothing_is_sent():
    transport = HttpTransport()
    async with transport:
        pass

    with pytest.raises(TransportError, match=r"^the connections are not open$"):
        await transport.send("GET", "http://127.0.0.1/", headers={})


async def test_a_deadline_around_it_hangs_up(transport: HttpTransport):
    hung_up = asyncio.Event()

    async def forever(request: web.Request) -> web.StreamResponse:
        deadline.reschedule(0)  # not before the server has the request, which takes its time on a busy machine
        try:
            await asyncio.Event().wait()
        finally:
            hung_up.set()
        raise AssertionError

    async with serving(forever) as url:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(None) as deadline:
                await transport.send("GET", url, headers={})
        await asyncio.wait_for(hung_up.wait(), 60)


OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def answer(*headers: str, body: bytes = b"", status: str = "200 OK", version: str = "1.1") -> bytes:
    return "\r\n".join([f"HTTP/{version} {status}", *headers, "", ""]).encode() + body


def sized(body: bytes, *headers: str) -> bytes:
    return answer(f"Content-Length: {len(body)}", *headers, body=body)


def chunked(body: bytes, size: int = 3) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def deflated(body: bytes, wbits: int) -> bytes:
    deflate = zlib.compressobj(wbits=wbits)
    return deflate.compress(body) + deflate.flush()


@pytest.mark.parametrize(
    ("script", "status", "body"),
    [
        ([OK], 200, b"ok"),
        ([answer("Transfer-Encoding: chunked", body=chunked(b"in pieces"))], 200, b"in pieces"),
        ([answer("transfer-encoding: chunked", body=b"2;why=so\r\nok\r\n0\r\nLater: on\r\n\r\n")], 200, b"ok"),
        ([answer(body=b"until it hangs up"), CLOSE], 200, b"until it hangs up"),
        ([answer("connection: close", body=b"also"), CLOSE], 200, b"also"),
        ([answer("Content-Length: 2", version="1.0", body=b"ok"), CLOSE], 200, b"ok"),
        ([answer(version="1.0", body=b"old"), CLOSE], 200, b"old"),
        ([answer(status="204 No Content")], 204, b""),
        ([answer("Content-Length: 7", status="304 Not Modified")], 304, b""),
        ([answer("content-length: 0", status="500")], 500, b""),
        ([answer(status="100 Continue") + OK], 200, b"ok"),
        ([answer(status="100 Continue"), answer("link: </x>", status="103 Early Hints"), OK], 200, b"ok"),
        ([b"HTTP/1.1 200 OK\ncontent-length: 2\n\nok"], 200, b"ok"),
        ([bytes([each]) for each in OK], 200, b"ok"),
        ([sized(gzip.compress(b"packed"), "content-encoding: gzip")], 200, b"packed"),
        ([sized(gzip.compress(b"a") + gzip.compress(b"b"), "Content-Encoding: x-gzip")], 200, b"ab"),
        ([sized(deflated(b"packed", zlib.MAX_WBITS), "content-encoding: Deflate")], 200, b"packed"),
        ([sized(deflated(b"packed", -zlib.MAX_WBITS), "content-encoding: deflate")], 200, b"packed"),
        ([sized(gzip.compress(gzip.compress(b"twice")), "content-encoding: gzip, gzip")], 200, b"twice"),
        (
            [sized(gzip.compress(gzip.compress(b"twice")), "content-encoding: gzip", "Content-Encoding: gzip")],
            200,
            b"twice",
        ),
        ([sized(b"plain", "content-encoding: identity")], 200, b"plain"),
        ([sized(b"plain", "content-encoding: UTF-8")], 200, b"plain"),
        ([answer("transfer-encoding: identity", body=b"until it hangs up"), CLOSE], 200, b"until it hangs up"),
        ([sized(b"", "content-encoding: gzip")], 200, b""),
    ],
)
async def test_however_an_answer_is_framed_it_is_read(
    transport: HttpTransport, script: Script, status: int, body: bytes
):
    async with saying(script, [OK]) as server:
        first = await transport.send("POST", server.url, headers={}, body=b"{}")
        second = await transport.send("POST", server.url, headers={}, body=b"{}")

    assert (first.status, first.body, second.body) == (status, body, b"ok")


async def test_a_response_to_head_has_no_body(transport: HttpTransport):
    hint = answer(status="103 Early Hints")
    async with saying([hint, answer("content-length: 1000")], [OK]) as server:
        head = await transport.send("HEAD", server.url, headers={})
        assert (await transport.send("GET", server.url, headers={})).body == b"ok"

    assert (head.status, head.headers["content-length"], head.body) == (200, "1000", b"")


@given(parts=st.lists(st.binary(max_size=99), max_size=999), size=st.integers(0, 9000))
def test_a_body_compressed_in_many_parts_is_joined(parts: list[bytes], size: int):
    parts.append(b"x" * size)

    assert decoded(b"".join(map(gzip.compress, parts)), "gzip", 2**20) == b"".join(parts)


@pytest.mark.slow
@table(
    ("script", "kind", "reason"),
    [
        ([CLOSE], TransportError, "^the server hung up without an answer: if it speaks TLS, .+ begin with https://$"),
        ([b"HTTP/1.1 200"], ConnectionLost, "the answer was cut off: the server hung up"),
        ([answer("content-length: 5", body=b"1234")], ConnectionLost, "the answer was cut off: the server hung up"),
        (
            [answer("transfer-encoding: chunked", body=b"5\r\n1234")],
            ConnectionLost,
            "the answer was cut off: the server hung up",
        ),
        ([answer(status="100 Continue")], ConnectionLost, "the answer was cut off: the server hung up"),
        ([b"SSH-2.0-OpenSSH_9.2\r\n"], TransportError, r"the answer is not HTTP: .+; it begins 'SSH-2.0"),
        ([answer("content-length: ten")], TransportError, "the answer is not HTTP: "),
        ([answer("content-length: 1", "content-length: 2", body=b"ab")], TransportError, "the answer is not HTTP: "),
        ([answer("transfer-encoding: chunked", body=b"zz\r\n")], TransportError, "the answer is not HTTP: "),
        *(
            ([answer(*headers, status="101 Switching Protocols") + b"\x81"], TransportError, f"^{SWITCHED}$")
            for headers in (("upgrade: websocket", "connection: upgrade"), ("upgrade: websocket",), ())
        ),
        ([b"\x15\x03\x01\x00\x02\x02\x0a"], TransportError, "^the answer is TLS, not HTTP: .+ begin with https://$"),
        ([sized(b"\x1f\x8bnonsense", "content-encoding: gzip")], TransportError, "the answer is not compressed as"),
        ([sized(gzip.compress(b"0" * 99)[:-9], "content-encoding: gzip")], ConnectionLost, "its end is missing"),
        ([sized(b"x", "content-encoding: br")], TransportError, "unsupported response encoding 'br'"),
        (
            [sized(b"x", f"content-encoding: {'gzip,' * 5}")],
            TransportError,
            "the answer is compressed 5 times over",
        ),
        (
            [answer("transfer-encoding: gzip, chunked", body=chunked(gzip.compress(b"x")))],
            TransportError,
            "unsupported transfer encoding 'gzip, chunked'",
        ),
        (
            [answer("transfer-encoding: gzip", "Transfer-Encoding: chunked", body=chunked(gzip.compress(b"x")))],
            TransportError,
            "unsupported transfer encoding 'gzip, chunked'",
        ),
        ([answer(*[f"x-{n}: {'y' * 1000}" for n in range(80)])], TransportError, "headers of the answer are larger"),
        ([answer(status="100 Continue") * 5000], TransportError, "headers of the answer are larger"),
        ([sized(b"x" * 1025)], TransportError, "the answer is larger than 1,024 bytes"),
    ],
)
async def test_an_incomplete_response_is_an_error_with_the_reason(script: Script, kind: type[Exception], reason: str):
    async with HttpTransport(max_bytes=1024) as transport, saying([*script, CLOSE], [OK]) as server:
        with pytest.raises(TransportError, match=reason) as caught:
            await transport.send("POST", server.url, headers={}, body=b"{}")
        again = await transport.send("POST", server.url, headers={}, body=b"{}")

    assert (type(caught.value), again.body, len(server.requests)) == (kind, b"ok", 2)


async def test_a_request_says_who_asks_and_how_long_it_is(transport: HttpTransport):
    async with saying([OK]) as server:
        await transport.send(
            "POST",
            f"{server.url}ü/a b?q=1&r=[#here",
            headers={"Authorization": Hidden("Bearer k"), "Content-Length": "9", "Transfer-Encoding": "chunked"},
            body=b"{}",
        )

    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    assert (first, body) == ("POST /%C3%BC/a%20b?q=1&r=%5B HTTP/1.1", b"{}")
    assert dict(line.split(": ", 1) for line in lines) == {
        "host": server.url.removeprefix("http://").removesuffix("/"),
        "accept": "*/*",
        "accept-encoding": "gzip, deflate",
        "user-agent": f"sparring/{__version__}",
        "authorization": "Bearer k",
        "content-length": "2",
    }


async def test_a_user_named_in_the_address_is_who_asks(transport: HttpTransport):
    async with saying([OK], [OK]) as server:
        named = server.url.replace("//", "//me:w%20rd@")
        await transport.send("GET", named, headers={})
        await transport.send("GET", named, headers={"Authorization": "Bearer k"})

    assert b"authorization: Basic bWU6dyByZA==\r\n" in server.requests[0]
    assert (b"Bearer k" in server.requests[1], b"Basic" in server.requests[1]) == (True, False)


@pytest.mark.parametrize(
    "headers",
    [
        {"a": "b\r\nc: d"},
        {"a": "b\nc"},
        {"a": "b\0"},
        {"a": "b\x0bc"},
        {"a": "b\x7f"},
        {"a b": "c"},
        {"a:b": "c"},
        {"": "c"},
        {"a\r\nb": "c"},
        {"a": "\ud800"},
    ],
)
async def test_headers_that_would_be_something_else_are_not_sent(transport: HttpTransport, headers: dict[str, str]):
    async with saying([OK]) as server:
        with pytest.raises(TransportError):
            await transport.send("GET", server.url, headers=headers)

    assert server.requests == []


@pytest.mark.parametrize("method", ["GET / HTTP/1.1\r\nx: y\r\n\r\nGET", "", "GET "])
async def test_methods_that_would_be_something_else_are_not_sent(transport: HttpTransport, method: str):
    async with saying([OK]) as server:
        with pytest.raises(TransportError):
            await transport.send(method, server.url, headers={})

    assert server.requests == []


@pytest.mark.parametrize("path", ["a\r\nx: y", "a b", "?a=\n", "a\0b", "%0d%0a"])
async def test_an_address_is_always_one_line(transport: HttpTransport, path: str):
    async with saying([OK]) as server:
        await transport.send("GET", server.url + path, headers={})

    first, second, *_ = server.requests[0].split(b"\r\n")
    assert (len(first.split(b" ")), second[:6], b"x: y" in server.requests[0].split(b"\r\n")) == (3, b"host: ", False)


@pytest.mark.parametrize(
    "url", ["nonsense", "ftp://127.0.0.1/", "http://", "http:///path", "//127.0.0.1", "ws://127.0.0.1/", ""]
)
async def test_an_invalid_address_is_refused(transport: HttpTransport, url: str):
    with pytest.raises(TransportError) as caught:
        await transport.send("GET", url, headers={})

    assert "http" in str(caught.value)


async def test_a_missing_server_is_reported_with_the_message_of_the_system(transport: HttpTransport):
    with pytest.raises(NoConnection, match=r"^cannot connect to 127\.0\.0\.1:1: Connection refused$"):
        await transport.send("GET", "http://127.0.0.1:1/", headers={})
    with pytest.raises(NoConnection, match=r"^cannot connect to nowhere\.invalid:80: \D+$"):
        await transport.send("GET", "http://nowhere.invalid/", headers={})


async def test_an_address_may_be_of_version_6(transport: HttpTransport):
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(sized(head))
        writer.close()

    try:
        server = await asyncio.start_server(talk, "::1", 0)
    except OSError:
        pytest.skip("this machine has no addresses of version 6")
    async with server:
        port = server.sockets[0].getsockname()[1]
        response = await transport.send("GET", f"http://[::1]:{port}/", headers={})

    assert f"host: [::1]:{port}\r\n".encode() in response.body


async def test_a_second_address_is_tried_where_the_first_does_not_answer(
    transport: HttpTransport, monkeypatch: pytest.MonkeyPatch
):
    async def two(host: str, port: int) -> Found:
        stream = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [(*stream, ("127.0.0.1", 1)), (*stream, ("127.0.0.1", port))]

    monkeypatch.setattr(transport, "_names", Names(two))
    async with saying([OK]) as server:
        response = await transport.send("GET", server.url.replace("127.0.0.1", "two.example"), headers={})

    assert response.body == b"ok"


async def test_a_name_is_looked_up_once_for_all_callers_and_again_after_a_failure(
    transport: HttpTransport, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    found: list[str] = []

    async def look_up(host: str, port: int) -> Found:
        asked.append(host)
        await asyncio.sleep(0)
        if not found:
            raise socket.gaierror(-2, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]

    monkeypatch.setattr(transport, "_names", Names(look_up))
    async with saying(*[[OK]] * 5) as server:
        url = server.url.replace("127.0.0.1", "shop.example")
        for _ in range(2):
            several = [transport.send("GET", url, headers={}) for _ in range(3)]
            assert [type(each) for each in await asyncio.gather(*several, return_exceptions=True)] == [NoConnection] * 3
        found.append(url)
        several = [transport.send("GET", url, headers={}) for _ in range(5)]
        assert [each.body for each in await asyncio.gather(*several)] == [b"ok"] * 5

    assert asked == ["shop.example"] * 3


async def test_a_name_is_looked_up_again_after_a_while(monkeypatch: pytest.MonkeyPatch):
    places = iter(["192.0.2.1", "192.0.2.2"])

    async def look_up(host: str, port: int) -> Found:
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (next(places), port))]

    names, passed = Names(look_up), [0.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time.monotonic() + passed[0], raising=False)
    found = []
    for passed[0] in (0.0, 9.0, 11.0, 20.0):
        found += [each[4][0] for each in await names.addresses("shop.example", 80)]

    assert found == ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"]


async def test_a_request_cancelled_during_a_lookup_does_not_affect_others(
    transport: HttpTransport, monkeypatch: pytest.MonkeyPatch
):
    looking, go_on = asyncio.Event(), asyncio.Event()

    async def look_up(host: str, port: int) -> Found:
        looking.set()
        await go_on.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]

    monkeypatch.setattr(transport, "_names", Names(look_up))
    async with saying([OK]) as server:
        url = server.url.replace("127.0.0.1", "shop.example")
        impatient, patient = (asyncio.create_task(transport.send("GET", url, headers={})) for _ in range(2))
        await looking.wait()
        impatient.cancel()
        await asyncio.wait([impatient])
        go_on.set()
        assert (await patient).body == b"ok"

    assert impatient.cancelled()


async def until(true: Callable[[], bool]) -> None:
    """Let the event loop go round until something is so: the other side of a socket has no other way to say it."""
    while not true():  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0)


async def test_nothing_is_sent_twice_also_where_a_kept_connection_is_gone(transport: HttpTransport):
    async with saying([OK], [CLOSE], [OK]) as server:
        await transport.send("POST", server.url, headers={}, body=b"1")
        with pytest.raises(TransportError, match=r"^the server hung up without an answer$"):
            await transport.send("POST", server.url, headers={}, body=b"2")
        await transport.send("POST", server.url, headers={}, body=b"3")

    assert [request[-1:] for request in server.requests] == [b"1", b"2", b"3"]


@pytest.fixture
def often_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for connections that are no longer good a hundred times a second, not every five seconds."""
    monkeypatch.setattr(http_transport, "_SWEEP", 0.01)


@pytest.mark.usefixtures("often_swept")
async def test_a_connection_that_the_server_closed_meanwhile_is_not_used(transport: HttpTransport):
    async with saying([OK, CLOSE], [OK]) as server:
        await transport.send("POST", server.url, headers={}, body=b"1")
        await server.hung_up.wait()
        await until(lambda: not transport._connections)
        assert (await transport.send("POST", server.url, headers={}, body=b"2")).body == b"ok"

    assert (len(server.requests), server.connections) == (2, 2)


@pytest.mark.parametrize(
    "script",
    [
        [OK + b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen"],
        [OK + b"HTTP/1.1 200 OK\r\ncontent-le"],
        [OK, b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen"],
        [OK + b"nonsense"],
        [answer("content-length: 2", "connection: close", body=b"ok and more")],
        [answer("keep-alive: timeout=1", "content-length: 2", body=b"ok")],
        [answer("keep-alive: max=5, timeout=0", "content-length: 2", body=b"ok")],
    ],
)
@pytest.mark.usefixtures("often_swept")
async def test_unsolicited_bytes_are_no_response(transport: HttpTransport, script: Script):
    async with saying(script, [sized(b"mine")]) as server:
        first = await transport.send("GET", server.url, headers={})
        await until(lambda: not transport._connections)
        second = await transport.send("GET", server.url, headers={})

    assert (first.body, second.body, server.connections) == (b"ok", b"mine", 2)


async def test_a_connection_on_which_a_request_was_answered_before_it_was_sent_is_not_used_again(
    transport: HttpTransport,
):
    enough, connections = asyncio.Event(), []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK)
        await enough.wait()
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        await transport.send("POST", url, headers={}, body=b"x" * 2**25)
        async with asyncio.timeout(5):
            await transport.send("POST", url, headers={}, body=b"x")
        enough.set()

    assert len(connections) == 2


async def test_a_connection_that_ended_while_the_event_loop_was_busy_is_not_used(transport: HttpTransport):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        accepted: list[socket.socket] = []

        def talk() -> None:
            accepted.append(server.accept()[0])
            accepted[-1].recv(2**16)
            accepted[-1].sendall(OK.replace(b"\r\n\r\n", b"\r\nkeep-alive: timeout=5\r\n\r\n"))

        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        for _ in range(2):
            talking = asyncio.create_task(asyncio.to_thread(talk))
            assert (await transport.send("POST", url, headers={}, body=b"x")).body == b"ok"
            await talking
            accepted[-1].close()  # and nothing is awaited before the next request

    assert len(accepted) == 2


async def test_connections_are_kept_for_a_while_only(transport: HttpTransport, monkeypatch: pytest.MonkeyPatch):
    async with saying([OK], [OK], [OK], [OK]) as server:
        await asyncio.gather(*(transport.send("GET", server.url, headers={}) for _ in range(2)))
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time.monotonic() + 16, raising=False)
        await transport.send("GET", server.url, headers={})
        assert server.connections == 3


@pytest.mark.parametrize("headers", [(), ("keep-alive: timeout=2",)])
async def test_an_idle_connection_is_closed(
    transport: HttpTransport, monkeypatch: pytest.MonkeyPatch, headers: tuple[str, ...]
):
    monkeypatch.setattr("sparring.llm.client.http_transport._SWEEP", 0.01)
    script = [answer("content-length: 2", *headers, body=b"ok")]
    async with saying(script, script) as server, saying([OK], [OK], [OK]) as other:
        await asyncio.gather(*(transport.send("GET", server.url, headers={}) for _ in range(2)))
        later = 1.5 if headers else 16
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time.monotonic() + later, raising=False)
        await transport.send("GET", other.url, headers={})
        await asyncio.wait_for(server.hung_up.wait(), 60)
        await transport.send("GET", other.url, headers={})

    assert (server.connections, other.connections) == (2, 1)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_transport_can_be_opened_again_in_another_event_loop(loop: Callable[[], asyncio.AbstractEventLoop]):
    transport = HttpTransport()

    async def ask() -> list[bytes]:
        async with saying([OK], [OK], [OK]) as server:
            async with transport:
                url = server.url.replace("127.0.0.1", "localhost")  # which is looked up
                first = await asyncio.gather(*(transport.send("GET", url, headers={}) for _ in range(2)))
                waiting = asyncio.create_task(transport.send("GET", "http://nowhere.invalid/", headers={}))
                await asyncio.sleep(0)
            with suppress(TransportError):
                await waiting
            async with transport:
                return [each.body for each in (*first, await transport.send("GET", url, headers={}))]

    for _ in range(2):
        with asyncio.Runner(loop_factory=loop) as runner:
            assert runner.run(ask()) == [b"ok"] * 3


async def test_closing_closes_every_connection_and_fails_waiting_requests():
    async with saying([OK], []) as server:
        async with HttpTransport() as transport:
            await transport.send("GET", server.url, headers={})
            waiting = asyncio.create_task(transport.send("GET", server.url, headers={}))
            await server.asked(2)
        with pytest.raises(TransportError):
            await waiting
        await asyncio.wait_for(server.hung_up.wait(), 60)

    assert server.connections == 1


async def test_closing_makes_a_response_that_ends_with_the_connection_incomplete():
    async with saying([answer(body=b"the first half of")]) as server:
        async with HttpTransport() as transport:
            waiting = asyncio.create_task(transport.send("GET", server.url, headers={}))
            await server.asked(1)
            await until(lambda: any(each._body for each in transport._connections))
        with pytest.raises(TransportError, match=r"^the connections are not open$"):
            await waiting


@pytest.mark.parametrize(
    ("script", "body"),
    [
        ([answer(body=b"until it ends"), CLOSE], b"until it ends"),
        ([sized(b"all of it"), BREAK], b"all of it"),
        ([answer("transfer-encoding: chunked", body=chunked(b"all of it")), BREAK], b"all of it"),
    ],
)
async def test_responses_are_complete_over_tls_too(tmp_path: Path, tls: ssl.SSLContext, script: Script, body: bytes):
    async with saying(script, tls=tls) as server, HttpTransport(ca=tmp_path / "cert.pem") as transport:
        assert (await transport.send("GET", server.url, headers={})).body == body


async def test_http_to_a_server_that_speaks_tls_says_so(transport: HttpTransport, tls: ssl.SSLContext):
    async with saying([OK], tls=tls) as server:
        with pytest.raises(TransportError, match=r"if it speaks TLS, the address should begin with https://$"):
            await transport.send("GET", server.url.replace("https", "http"), headers={})


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the answer is not TLS: the address should begin with http://"),
        (b"", "the server hung up: if it speaks no TLS, the address should begin with http://"),
    ],
)
@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_https_to_a_server_that_speaks_no_tls_says_so(
    said: bytes, why: str, loop: Callable[[], asyncio.AbstractEventLoop]
):
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(2**16)
        writer.write(said)
        writer.close()

    async def ask() -> None:
        async with await asyncio.start_server(talk, "127.0.0.1", 0) as server, HttpTransport() as transport:
            await transport.send("GET", f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", headers={})

    with asyncio.Runner(loop_factory=loop) as runner, pytest.raises(NoConnection, match=f": {why}$"):
        runner.run(ask())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_https_to_a_server_that_accepts_and_says_nothing_is_soon_given_up(host: str):
    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.close()

    why = "SSL handshake is taking longer than .+ if it speaks no TLS, the address should begin with http://$"
    async with (
        await asyncio.start_server(wait, "127.0.0.1", 0) as server,
        HttpTransport(handshake_seconds=0.05) as transport,
    ):
        with pytest.raises(NoConnection, match=why):
            await transport.send("GET", f"https://{host}:{server.sockets[0].getsockname()[1]}/", headers={})


@pytest.mark.parametrize("headers", [[], ["content-length: 99"], ["connection: close"]])
async def test_under_tls_what_ends_without_notice_is_cut_off(tmp_path: Path, tls: ssl.SSLContext, headers: list[str]):
    async with (
        saying([answer(*headers, body=b"until it"), BREAK], tls=tls) as server,
        HttpTransport(ca=tmp_path / "cert.pem") as transport,
    ):
        with pytest.raises(ConnectionLost):
            await transport.send("GET", server.url, headers={})


async def test_a_request_cancelled_at_any_time_leaves_nothing_behind(tmp_path: Path, tls: ssl.SSLContext):
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, complaint: complaints.append(complaint))
    async with saying(*[[OK]] * 40, tls=tls) as server, HttpTransport(ca=tmp_path / "cert.pem") as transport:
        for turns in range(40):
            sending = asyncio.create_task(transport.send("POST", server.url, headers={}, body=b"x" * 2**20))
            for _ in range(turns):
                await asyncio.sleep(0)
            sending.cancel()
            await asyncio.wait([sending])
        left = len(transport._connections) - sum(map(len, transport._idle.values()))

    assert (complaints, left) == ([], 0)


# What aiohttp reads, which nobody here wrote, ours reads as the same.

_BODIES = st.one_of(st.binary(max_size=60), st.integers(0, 200_000).map(lambda size: b"a long one " * (size // 11)))
_PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "DEFLATE": lambda body: deflated(body, -zlib.MAX_WBITS),
}


@st.composite
def answers(draw: st.DrawFn) -> list[bytes]:
    """An answer in one of the ways that there are, in pieces, sometimes cut off."""
    packed = draw(st.sampled_from(sorted(_PACKED)))
    body = _PACKED[packed](draw(_BODIES))
    headers = [f"x-{name}: {value}" for name, value in draw(_HEADERS)] + [f"content-encoding: {packed}"] * bool(packed)
    framing = draw(st.sampled_from(["sized", "chunked", "until closed"]))
    if framing == "sized":
        headers.append(f"Content-Length: {len(body)}")
    elif framing == "chunked":
        headers.append("Transfer-Encoding: chunked")
        body = chunked(body, draw(st.integers(1, 70_000)) if len(body) < 2000 else 50_000)
    status = draw(st.sampled_from(["200 OK", "201", "404 Not Found", "429 Too Many", "503 \xfc"]))
    written = answer(*headers, status=status, version=draw(st.sampled_from(["1.1", "1.0"])), body=body)
    if not packed and draw(st.booleans()):  # aiohttp takes what is left of something compressed for the whole
        written = written[: draw(st.integers(0, len(written)))]
    cuts = sorted(draw(st.lists(st.integers(0, len(written)), max_size=3)))
    return [written[a:b] for a, b in pairwise([0, *cuts, len(written)]) if a < b] + [CLOSE]


_HEADERS = st.lists(
    st.tuples(st.sampled_from("abc"), st.text('abc äöü\t;,="', max_size=9).map(str.strip)),
    max_size=3,
    unique_by=lambda pair: pair[0],
)


@pytest.mark.slow
@given(script=answers())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_responses_equal_those_that_aiohttp_reads(transport: HttpTransport, script: Script):
    async with saying(script) as server, aiohttp.ClientSession() as session:
        theirs: Response | None = None
        try:
            async with session.get(server.url) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                theirs = Response(response.status, headers, await response.read())
        except (aiohttp.ClientError, zlib.error):
            pass
    async with saying(script) as server:
        ours: Response | None = None
        with suppress(TransportError):
            ours = await transport.send("GET", server.url, headers={})

    assert ours == theirs


@given(written=st.binary(max_size=300), at=st.integers(0, 100), cut=st.integers(0, 30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_any_bytes_are_a_response_or_a_transport_error(
    transport: HttpTransport, written: bytes, at: int, cut: int
):
    good = answer("transfer-encoding: chunked", "content-encoding: gzip", body=chunked(gzip.compress(b"good")))
    async with saying([good[:at] + written + good[at + cut :], CLOSE]) as server:
        with suppress(TransportError):
            await transport.send("GET", server.url, headers={})
