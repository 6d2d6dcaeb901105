"""Bytes in, bytes out: the one place that opens connections."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

NOT_OPEN = "the connections are not open"


@dataclass(frozen=True, slots=True)
class Response:
    """What came back; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TransportError(Exception):
    """No complete answer: not reached, cut off, or not HTTP."""


class NoConnection(TransportError):
    """Nobody answers at that address."""


class ConnectionLost(TransportError):
    """An answer began and did not end."""


class Transport(Protocol):
    """Send one request; any status is an answer. Raises TransportError and nothing else.

    It has no deadline of its own: wrap the call in `asyncio.timeout`, which really ends it.
    """

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None
    ) -> Response: ...
