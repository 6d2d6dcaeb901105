"""Serves the app on a socket of this machine until it is told to stop."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext

import uvicorn

from sparring.app.wiring import player_names, players
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.runner.batch_log import make_folder
from sparring.settings import Serve, Settings
from sparring.store.redaction import Redaction
from sparring.store.sqlite.database import check as check_store
from sparring.store.sqlite.locks import store_lock
from sparring.store.sqlite.store import SqliteStore
from sparring.store.tokens import Role, Tokens
from sparring.web.app import application, guarded
from sparring.web.security.guard import loopback

_GRACE = 5
"""Seconds that answers under way have when the server stops."""


async def serve(
    settings: Settings,
    environment: Mapping[str, str],
    token: str,
    *,
    ready: Callable[[str], None],
    log_level: str,
    introduce: Callable[[str], None] | None = None,
) -> None:
    """Serve until somebody asks to stop; `ready` is told the address. An InputError where this cannot be right.

    Where others reach the server and there is no token, one is made and `introduce` is told it, once; without somebody
    to tell, that is refused.
    """
    _check(settings, token, introduce)
    await _check_players(settings, environment)
    with store_lock(settings.store), _listening(settings.serve) as listening:
        async with SqliteStore(settings.store, hiding=Redaction(settings.redact)) as store:
            app = application(nullcontext(store), settings, environment)
            config = uvicorn.Config(
                guarded(app, settings, token),
                http="h11",  # the faster one would take headers without end
                log_level=log_level,
                access_log=log_level == "debug",
                server_header=False,
                proxy_headers=False,  # whoever asks could call themselves somebody else each time
                timeout_graceful_shutdown=_GRACE,
            )
            server = _Server(config, lambda: ready(_address(listening)))

            def stop() -> None:
                server.should_exit = True
                if hasattr(app.state, "served"):
                    app.state.served.closing.set()

            with _stopped_by(stop):
                await server.serve([listening])


class _Server(uvicorn.Server):
    """Says when it is ready, and leaves signals to us: who listens to events has to be told first."""

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


def _check(settings: Settings, token: str, introduce: Callable[[str], None] | None) -> None:
    check_store(settings.store)
    if settings.logs is not None:
        make_folder(settings.logs)
    host, tokens, now = settings.serve.host, Tokens(settings.store), SystemClock().now()
    holding = any(each.holds(now) for each in tokens.all())
    if not loopback(host) and not token and not holding:
        if introduce is None:
            raise InputError(
                f"{host} can be reached from other machines, and there is no token",
                hint="sparring tokens add NAME --role admin makes one; SPARRING_SERVE_TOKEN or --token-file FILE give "
                "one of yours; --host 127.0.0.1 needs none",
            )
        introduce(tokens.add(f"operator-{now:%Y%m%d-%H%M%S}", Role.ADMIN, now=now))
    if token and (len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token):
        raise InputError(
            "the token is no token: it needs 16 or more letters and digits, and no spaces",
            hint="python -c 'import secrets; print(secrets.token_urlsafe(32))' makes one",
        )


async def _check_players(settings: Settings, environment: Mapping[str, str]) -> None:
    """Make every chatbot with every model once: what cannot be played is found out before anybody asks for it."""
    for chatbot in settings.serve.chatbots:
        for model in settings.serve.models:
            chosen = settings.model_copy(update={"chatbot": chatbot, "model": model})
            async with players(player_names(chosen), chosen, environment):
                pass


@contextmanager
def _listening(serve: Serve) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in serve.host else socket.AF_INET
    with socket.socket(family) as listening:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((serve.host.strip("[]"), serve.port))
        except OSError as error:
            raise InputError(
                f"cannot listen at {serve.host} port {serve.port}: {error.strerror}",
                hint="--port 0 takes any that is free",
            ) from error
        yield listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def _stopped_by(stop: Callable[[], None]) -> Iterator[None]:
    """Inside the block Ctrl-C and SIGTERM stop in good order."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    try:
        for each in signals:
            loop.add_signal_handler(each, stop)
    except (NotImplementedError, RuntimeError):  # Windows, or not the main thread: there it stops at once
        yield
        return
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)
