import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from aiohttp import web

from sparring.core.clock import SystemClock
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.plugin_context import LLMConfig, PluginContext

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]
Serve = Callable[[Answering], Awaitable[str]]


@pytest.fixture
async def context() -> AsyncIterator[PluginContext]:
    async with HttpTransport() as transport:
        yield PluginContext(LLMConfig(call_seconds=30), SystemClock(), transport)


@pytest.fixture
def refusing() -> Iterator[str]:
    """An address that refuses connections: its port is bound, so no other test gets it, and nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


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
