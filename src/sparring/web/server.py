"""Run the app with uvicorn: startup checks, the listening socket, and graceful shutdown."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import cast

import uvicorn

from sparring.app.background import make_log_folder
from sparring.app.stores import check_store, lock_for_server, open_store
from sparring.app.wiring import player_names, players
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.settings import Serve, Settings
from sparring.store.tokens import TokenRole, Tokens
from sparring.web.app import application, guarded
from sparring.web.connections import KEEP_ALIVE_SECONDS, BoundedProtocol, ConnectionLimits, Connections
from sparring.web.security.guard import is_loopback

_SHUTDOWN_SECONDS = 5
"""Seconds that running requests have to finish when the server stops."""


async def serve(
    settings: Settings,
    environment: Mapping[str, str],
    token: str,
    *,
    ready: Callable[[str], None],
    log_level: str,
    announce_token: Callable[[str], None] | None = None,
) -> None:
    """Serve until stopped by a signal, and call `ready` with the address.

    Raise `InputError` for bad settings.

    If other machines can reach the server and no token exists, create one and pass it to `announce_token`.
    Without `announce_token`, raise `InputError` instead.
    """
    _check(settings, token, announce_token)
    await _check_players(settings, environment)
    with lock_for_server(settings.store), _listening_socket(settings.serve) as listening:
        async with open_store(settings.app_config(environment=environment)) as store:
            app = application(nullcontext(store), settings, environment)
            config = uvicorn.Config(
                guarded(app, settings, token),
                http=cast("type[asyncio.Protocol]", partial(BoundedProtocol, Connections(ConnectionLimits()))),
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                log_level=log_level,
                access_log=log_level == "debug",
                server_header=False,
                proxy_headers=False,  # clients could forge a new address for each request
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            )
            server = _Server(config, lambda: ready(_address(listening)))

            def stop() -> None:
                server.should_exit = True
                if hasattr(app.state, "service"):
                    app.state.service.closing.set()

            with _stop_on_signals(stop):
                await server.serve([listening])


class _Server(uvicorn.Server):
    """A uvicorn server that reports when it is ready and leaves signals to us.

    Event streams must be closed before uvicorn shuts down.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _check(settings: Settings, token: str, announce_token: Callable[[str], None] | None) -> None:
    check_store(settings.store)
    if settings.logs is not None:
        make_log_folder(settings.logs)
    host, tokens, now = settings.serve.host, Tokens(settings.store), SystemClock().now()
    has_valid_token = any(each.holds(now) for each in tokens.all())
    if not is_loopback(host) and not token and not has_valid_token:
        if announce_token is None:
            raise InputError(
                f"{host} is reachable from other machines, and there is no token",
                hint="create one with: sparring tokens add NAME --role admin; or set SPARRING_SERVE_TOKEN or "
                "--token-file FILE; --host 127.0.0.1 needs no token",
            )
        announce_token(tokens.add(f"operator-{now:%Y%m%d-%H%M%S}", TokenRole.ADMIN, now=now))
    if token and (len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token):
        raise InputError(
            "the token is invalid: expected at least 16 printable ASCII characters without spaces",
            hint="create one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )


async def _check_players(settings: Settings, environment: Mapping[str, str]) -> None:
    """Create every combination of chatbot and model once, to report bad ones at startup."""
    config = settings.app_config(environment=environment)
    for chatbot in settings.serve.chatbots:
        for model in settings.serve.models:
            chosen = config.with_players(chatbot=chatbot, model=model)
            async with players(player_names(chosen), chosen):
                pass


@contextmanager
def _listening_socket(serve: Serve) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in serve.host else socket.AF_INET
    with socket.socket(family) as listening:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((serve.host.strip("[]"), serve.port))
        except OSError as error:
            raise InputError(
                f"cannot listen at {serve.host} port {serve.port}: {error.strerror}",
                hint="--port 0 picks a free port",
            ) from error
        yield listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def _stop_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` on SIGINT or SIGTERM inside the block."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    try:
        for each in signals:
            loop.add_signal_handler(each, stop)
    except (NotImplementedError, RuntimeError):  # on Windows, or outside the main thread: no graceful stop
        yield
        return
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)
