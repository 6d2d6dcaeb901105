import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from sparring.chatbots.websocket import connect
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.network import Network
from sparring.llm.client.transport import NoConnection, TransportError
from sparring.llm.plugin_context import LLMConfig, PluginContext

PASSWORD = "a-password-of-a-proxy"


@dataclass
class Proxy:
    """A proxy that reaches every host at 127.0.0.1, or refuses with `status`."""

    status: int = 200
    address: str = ""
    asked: list[str] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.asked.append(head.decode())
        method, target, _ = head.split(b"\r\n")[0].split(b" ")
        if self.status != 200:
            writer.write(b"HTTP/1.1 %d No\r\ncontent-length: 0\r\n\r\n" % self.status)
            writer.close()
            return
        port = int(target.removeprefix(b"http://").split(b"/")[0].split(b":")[1])
        above, up = await asyncio.open_connection("127.0.0.1", port)
        if method == b"CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            up.write(head)
        await asyncio.gather(_pump(reader, up), _pump(above, writer))


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while piece := await source.read(2**16):
            sink.write(piece)
            await sink.drain()
    except ConnectionError:
        pass
    sink.close()


@asynccontextmanager
async def proxying(status: int = 200) -> AsyncIterator[Proxy]:
    proxy = Proxy(status)
    async with await asyncio.start_server(proxy.talk, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        proxy.address = f"http://someone:{PASSWORD}@127.0.0.1:{port}"
        yield proxy


@asynccontextmanager
async def shop(tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that answers with what it was sent, at /socket over a WebSocket, at /stream with a stream."""

    async def echo(request: web.Request) -> web.StreamResponse:
        if request.path == "/socket":
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            async for frame in socket:
                await socket.send_str(f"You said {frame.data}.")
            return socket
        if request.path == "/stream":
            stream = web.StreamResponse(headers={"content-type": "text/event-stream"})
            await stream.prepare(request)
            await stream.write(await request.read())
            return stream
        return web.Response(body=await request.read(), headers={"X-Authorization": request.headers.get("a", "")})

    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", echo)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_requests_go_through_the_proxy_of_the_environment(name: str):
    async with shop() as port, proxying() as proxy, HttpTransport({name: proxy.address}) as transport:
        first = await transport.send("POST", f"http://shop.test:{port}/a", headers={"A": "b"}, body=b"ham")
        await transport.send("GET", f"http://shop.test:{port}/b", headers={})

    assert (first.status, first.headers["x-authorization"], first.body) == (200, "b", b"ham")
    assert [each.split(" HTTP")[0] for each in proxy.asked] == [
        f"POST http://shop.test:{port}/a",
        f"GET http://shop.test:{port}/b",
    ]
    assert "proxy-authorization: basic" in proxy.asked[0].lower()


async def test_tls_goes_through_the_proxy_with_the_certificates_of_the_environment(tmp_path: Path, tls: ssl.SSLContext):
    trusted = {"SSL_CERT_FILE": str(tmp_path / "cert.pem")}
    async with shop(tls) as port, proxying() as proxy:
        url = f"https://shop.test:{port}/a"
        async with HttpTransport({"HTTPS_PROXY": proxy.address, **trusted}) as transport:
            response = await transport.send("POST", url, headers={}, body=b"ham")
        async with HttpTransport({"HTTPS_PROXY": proxy.address}) as transport:
            with pytest.raises(NoConnection, match=r"through the proxy 127\.0\.0\.1:") as untrusted:
                await transport.send("POST", url, headers={}, body=b"ham")

    assert response.body == b"ham"
    assert proxy.asked[0].startswith(f"CONNECT shop.test:{port} ")
    assert PASSWORD not in str(untrusted.value)


@pytest.mark.parametrize(
    ("status", "url", "why"),
    [
        (407, "https://shop.test/", "the proxy 127.0.0.1:[0-9]+ refuses the connection: HTTP 407"),
        (0, "http://shop.test/", "cannot connect to the proxy 127.0.0.1:1: "),
        (0, "https://shop.test/", "cannot connect to the proxy 127.0.0.1:1: "),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_named_without_its_password(status: int, url: str, why: str):
    async with proxying(status or 200) as proxy:
        address = proxy.address if status else f"http://someone:{PASSWORD}@127.0.0.1:1"
        async with HttpTransport({"ALL_PROXY": address}) as transport:
            with pytest.raises(NoConnection, match=why) as refused:
                await transport.send("GET", url, headers={})

    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize("address", ["socks5://127.0.0.1:1080", "http://a b"])
async def test_a_proxy_of_another_kind_is_refused(address: str):
    async with HttpTransport({"ALL_PROXY": address}) as transport:
        with pytest.raises(TransportError, match=r"^the proxy for shop\.test cannot be used: its address should begin"):
            await transport.send("GET", "http://shop.test/", headers={})


async def test_a_proxy_hides_no_arrival_of_a_stream():
    async with shop() as port, proxying() as proxy, HttpTransport({"HTTP_PROXY": proxy.address}) as transport:
        stream = await transport.send("POST", f"http://shop.test:{port}/stream", headers={}, body=b"Hi")
        at_once = await transport.send("POST", f"http://shop.test:{port}/", headers={}, body=b"Hi")

    assert ([size for size, _ in stream.arrivals], at_once.arrivals) == ([2], ())


async def test_the_limit_of_a_response_holds_through_a_proxy():
    async with (
        shop() as port,
        proxying() as proxy,
        HttpTransport({"HTTP_PROXY": proxy.address}, max_bytes=1000) as transport,
    ):
        with pytest.raises(TransportError, match="larger than 1,000 bytes"):
            await transport.send("POST", f"http://shop.test:{port}/", headers={}, body=b"x" * 1001)


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({"HTTP_PROXY": "proxy.test:3128"}, "http://shop.test/", "http://proxy.test:3128"),
        ({"HTTP_PROXY": "http://a", "http_proxy": "http://b"}, "http://shop.test/", "http://b"),
        ({"HTTP_PROXY": "http://a"}, "https://shop.test/", None),
        ({"HTTPS_PROXY": "http://a"}, "wss://shop.test/", "http://a"),
        ({"HTTP_PROXY": "http://a"}, "ws://shop.test/", "http://a"),
        ({"ALL_PROXY": "http://a", "NO_PROXY": "shop.test"}, "https://www.shop.test/", None),
        ({"ALL_PROXY": "http://a", "NO_PROXY": "shop.test"}, "https://shop.example/", "http://a"),
        ({"ALL_PROXY": "http://a", "no_proxy": "*"}, "https://shop.example/", None),
        ({"ALL_PROXY": "http://a"}, "http://127.0.0.1:8000/", None),
        ({"ALL_PROXY": "http://a"}, "http://[::1]:8000/", None),
        ({"ALL_PROXY": "http://a"}, "http://localhost/", None),
        ({"HTTP_PROXY": " "}, "http://shop.test/", None),
        ({}, "http://shop.test/", None),
    ],
)
def test_the_proxy_is_chosen_as_curl_chooses_it(environment: Mapping[str, str], url: str, proxy: str | None):
    assert Network(environment).proxy(url) == proxy


async def test_a_client_certificate_is_shown_to_a_server_that_asks_for_one(tmp_path: Path, tls: ssl.SSLContext):
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(tmp_path / "cert.pem")
    named = {"SSL_CERT_FILE": str(tmp_path / "cert.pem")}
    whole = tmp_path / "whole.pem"
    whole.write_bytes((tmp_path / "cert.pem").read_bytes() + (tmp_path / "key.pem").read_bytes())
    apart = {"SPARRING_CLIENT_CERT": str(tmp_path / "cert.pem"), "SPARRING_CLIENT_KEY": str(tmp_path / "key.pem")}
    async with shop(tls) as port:
        for shown in ({"SPARRING_CLIENT_CERT": str(whole)}, apart):
            async with HttpTransport({**named, **shown}) as transport:
                answer = await transport.send("POST", f"https://127.0.0.1:{port}/", headers={}, body=b"ham")
                assert answer.body == b"ham"
        async with HttpTransport(named) as transport:
            with pytest.raises(TransportError):
                await transport.send("POST", f"https://127.0.0.1:{port}/", headers={}, body=b"ham")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("SSL_CERT_FILE", "contains no readable certificates"),
        ("SPARRING_CLIENT_CERT", "contains no readable certificate with its key"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_at_once(tmp_path: Path, name: str, why: str):
    (tmp_path / "wrong.pem").write_text("no certificate")
    for file in ("wrong.pem", "missing.pem"):
        with pytest.raises(InputError, match=rf"{file}: {why}"):
            HttpTransport({name: str(tmp_path / file)})


@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_a_websocket_goes_through_the_proxy_too(tmp_path: Path, tls: ssl.SSLContext, scheme: str):
    async with shop(tls if scheme == "wss" else None) as port, proxying() as proxy:
        preset = tmp_path / "shop.yaml"
        preset.write_text(f"url: {scheme}://shop.test:{port}/socket\nbody: '{{{{message}}}}'\nanswer: text\n")
        environment = {"ALL_PROXY": proxy.address, "SSL_CERT_FILE": str(tmp_path / "cert.pem")}
        async with HttpTransport({}) as transport:
            context = PluginContext(LLMConfig(), SystemClock(), transport, environment=environment)
            async with connect(str(preset), context).connect(Case(id="a")) as session:
                reply = await session.reply(message("user", "hello"))

    assert reply.text == "You said hello."
    assert f"shop.test:{port}" in proxy.asked[0]
