"""Connections of the server, bounded in number and in the time that a request takes to arrive.

Half-open connections would leave no room for others, such as a health check, whether they have a token or not.
"""

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

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
