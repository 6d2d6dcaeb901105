"""An HTTP server of a reference chatbot or its tools: its options, its answers in JSON, its end."""

import argparse
import asyncio
import errno
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

import orjson
from aiohttp import web

from sparring.core.errors import InputError


def add_address(parser: argparse.ArgumentParser, port: int) -> None:
    """Add `--port` and `--host`."""
    parser.add_argument("--port", type=_port, default=port, help="port to listen on; 0 picks a free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on [default: 127.0.0.1]")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, got {text!r}")
    return int(text)


def until_stopped(serve: Callable[[], None]) -> int:
    """Serve until Ctrl-C. Return 2 for invalid options, with an error and a hint on stderr."""
    try:
        serve()
    except KeyboardInterrupt:
        sys.stderr.write("closed\n")
    except InputError as error:
        hint = f"hint: {error.hint}" if error.hint else ""
        sys.stderr.write(f"error: {error}\n{hint}\n")
        return 2
    return 0


def address(host: str, port: int) -> str:
    """Return the URL of a server."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def cannot_listen(host: str, port: int, error: OSError) -> InputError:
    """Return the error for an address that cannot be used."""
    if error.errno == errno.EADDRINUSE:
        return InputError(f"port {port} is already in use", hint=f"choose another one, such as --port {port + 1}")
    return InputError(f"cannot serve at {host}:{port}: {error.strerror}", hint="choose another --host or --port")


def json_response(value: object, *, status: int = 200) -> web.Response:
    """Return a value as a response in JSON."""
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")


async def serve(application: web.Application, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve until cancelled or terminated; call `ready` with the address. A port in use is an InputError."""
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
