"""Run the app with uvicorn: startup checks, socket, bounded connections, graceful shutdown."""

import asyncio
import logging
import os
import signal
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from sparring.app.background import make_log_folder
from sparring.app.stores import check_store, lock_for_server, open_store
from sparring.app.wiring import player_names, players
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.settings import Serve, Settings
from sparring.store.tokens import TokenRole, Tokens
from sparring.web.app import application, guarded
from sparring.web.security.guard import is_loopback

_logger = logging.getLogger("uvicorn.error")

KEEP_ALIVE_SECONDS = 15
"""Seconds for which a connection stays open between two requests."""

_REPORT_EVERY = 60.0
"""Seconds between two lines of the log about closed connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The most connections, overall and of one address, and the seconds for headers and body.

    A body has the more time the larger it is: a second for each `body_bytes_per_second`.
    """

    connections: int = 1_000
    per_address: int = 500
    header_seconds: float = 10
    body_seconds: float = 30
    body_bytes_per_second: int = 100_000


class Connections:
    """The open connections of a server, the oldest first."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._open: dict[BoundedProtocol, str] = {}
        self._addresses: Counter[str] = Counter()
        self._closed: Counter[str] = Counter()

    def add(self, connection: "BoundedProtocol", address: str) -> None:
        """Add a connection; above the limit, close the oldest one that waits for a request."""
        self._open[connection] = address
        self._addresses[address] += 1
        if self._addresses[address] > self.limits.per_address:
            self._make_room(connection, address)
        elif len(self._open) > self.limits.connections:
            self._make_room(connection)

    def remove(self, connection: "BoundedProtocol") -> None:
        """Forget a connection that is closed."""
        address = self._open.pop(connection, None)
        if address is not None:
            self._addresses -= Counter([address])

    def _make_room(self, newest: "BoundedProtocol", address: str = "") -> None:
        waiting = (each for each, its in self._open.items() if its == (address or its) and each.waits)
        oldest = next(waiting, newest)
        self.remove(oldest)
        oldest.end("made room for others" if oldest is not newest else "came while all others were in use")

    def note(self, reason: str) -> None:
        """Log why connections are closed, at most once in a while."""
        if not self._closed:
            asyncio.get_running_loop().call_later(_REPORT_EVERY, self._report)
            _logger.warning("closed a connection that %s", reason)
        self._closed[reason] += 1

    def _report(self) -> None:
        for reason, number in self._closed.items():
            if number > 1:
                _logger.warning("closed %s connections in a minute that %s", f"{number:,}", reason)
        self._closed.clear()


class BoundedProtocol(H11Protocol):
    """A connection that is closed if a request does not arrive in time, or if its room is needed.

    It is parsed by h11, which limits the size of headers; httptools does not.
    """

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._among = connections
        self._awaited: Any = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """True if no request is being answered."""
        return self._awaited is not None or self._last is None or self._last.response_complete

    @property
    def _last(self) -> RequestResponseCycle | None:
        return cast("RequestResponseCycle | None", self.cycle)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        self._among.add(self, self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        self._among.remove(self)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def end(self, reason: str) -> None:
        """Close the connection."""
        self._among.note(reason)
        self._stop_timer()
        self.transport.close()

    def _watch(self) -> None:
        """Limit the time for the client's next input: headers, a body, or nothing."""
        awaited = self._missing()
        if awaited is self._awaited:
            return
        self._stop_timer()
        self._awaited = awaited
        if awaited is None or self.transport.is_closing():
            return
        limits = self._among.limits
        seconds = limits.header_seconds
        if awaited is h11.SEND_BODY:
            length = next((value for name, value in self.headers if name == b"content-length"), b"0")
            seconds = limits.body_seconds + int(length) / limits.body_bytes_per_second
        self._timer = self.loop.call_later(seconds, self.end, "did not send its request in time")

    def _missing(self) -> Any:
        state = self.conn.their_state
        if state is h11.IDLE and self._last is not None and not self.conn.trailing_data[0]:
            return None  # between two requests, for which uvicorn has a limit
        return state if state in (h11.IDLE, h11.SEND_BODY) else None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


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
