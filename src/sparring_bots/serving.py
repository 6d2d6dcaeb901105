"""An HTTP server for a reference chatbot or its tools, with answers in JSON."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress

import orjson
from aiohttp import web

from sparring_bots.serving import address, cannot_listen


def json_response(value: object, *, status: int = 200) -> web.Response:
    """Return a value as a response in JSON."""
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")


async def serve(application: web.Application, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve until cancelled or terminated; `ready` is told the address. A port that cannot be had is an InputError."""
    stop = asyncio.Event()
    with suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await _listen(runner, host, port)
        # Port 0 asks for any that is free, so only the socket knows which one it is.
        ready(address(host, runner.addresses[0][1]))
        await stop.wait()
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise cannot_listen(host, port, error) from error
