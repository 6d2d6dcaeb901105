from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import aiohttp
import pytest
from aiohttp import web

from sparring.core.clock import SystemClock
from sparring.models.context import Context
from sparring.models.transport import Response, TransportError
from sparring.settings import Settings

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]
Serve = Callable[[Answering], Awaitable[str]]


class Connections:
    """The smallest transport that opens real connections."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        try:
            async with self._session.request(method, url, headers=headers, data=body, allow_redirects=False) as answer:
                named = {name.lower(): value for name, value in answer.headers.items()}
                return Response(answer.status, named, await answer.read())
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TransportError(str(error) or type(error).__name__) from error


@pytest.fixture
async def context() -> AsyncIterator[Context]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Context(Settings(call_seconds=5), SystemClock(), Connections(session))


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a server that answers every request with one function, and gives its address."""
    runners = []

    async def start(answering: Answering) -> str:
        async def answer(request: web.Request) -> web.StreamResponse:
            return await answering(request)

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        runner = web.AppRunner(app, shutdown_timeout=0.01)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    yield start
    for runner in runners:
        await runner.cleanup()
