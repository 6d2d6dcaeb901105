"""The order API on a socket."""

import errno
import socket
from collections.abc import Callable

from sparring.core.errors import InputError
from sparring_bots.service.shop import Shop


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; one that cannot be had is an InputError."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} is already in use", hint="choose another one with --port") from error
        raise InputError(
            f"cannot serve at {host}:{port}: {error.strerror}", hint="choose another --host or --port"
        ) from error


def serve(shop: Shop, line: socket.socket, ready: Callable[[], None]) -> None:
    """Serve the orders of `shop` there until interrupted or terminated; `ready` is told as soon as it answers."""
    import uvicorn

    from sparring_bots.service.api import application

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    config = uvicorn.Config(application(shop), log_level="warning", access_log=False, timeout_graceful_shutdown=1)
    Server(config).run(sockets=[line])
