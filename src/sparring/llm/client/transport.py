"""The transport protocol: one HTTP request out, one response back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

NOT_OPEN = "the connections are not open"


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response; header names are in lower case.

    For a stream, `arrivals` says how many bytes of the body had arrived at which time.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrivals: tuple[tuple[int, float], ...] = field(default=(), compare=False, repr=False)


def is_stream(headers: Mapping[str, str]) -> bool:
    """Return True for the headers of a stream of events, lines or words that is not compressed."""
    kind = headers.get("content-type", "")
    words = kind.startswith("text/plain") and "content-length" not in headers
    return (words or kind.startswith(("text/event-stream", "application/x-ndjson"))) and not headers.get(
        "content-encoding"
    )


class TransportError(Exception):
    """No complete response: unreachable, cut off, or not HTTP."""


class NoConnection(TransportError):
    """No server answers at the address, or the request is not one that can be sent."""


class ConnectionLost(TransportError):
    """The connection ended in the middle of a response."""


class RequestUnread(TransportError):
    """The server closed the connection before the request arrived, so it was not processed."""


def too_large(max_bytes: int) -> TransportError:
    """Return the error for a response of more than `max_bytes`."""
    return TransportError(f"the answer is larger than {max_bytes:,} bytes")


class Transport(Protocol):
    """Sends one request; a response with any status is a result. Raises TransportError and nothing else.

    It has no timeout of its own: wrap the call in `asyncio.timeout`, which cancels it.
    """

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None
    ) -> Response: ...
