"""HTTP without a network: requests to an ASGI application of this process."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from sparring.llm.client.transport import CutOff, Response

_Message = MutableMapping[str, Any]
Application = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[_Message]], Callable[[_Message], Awaitable[None]]],
    Awaitable[None],
]
"""Anything that speaks ASGI."""


@dataclass(frozen=True)
class InProcess:
    """A transport that hands every request to `application`, with `state` as what its server would have given it.

    An application that raises is an answer that was cut off, as it would be over a wire.
    """

    application: Application
    state: Mapping[str, object]

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        """One request, and all of the answer."""
        asked = [{"type": "http.request", "body": body or b"", "more_body": False}]
        told: list[_Message] = []

        async def receive() -> _Message:
            return asked.pop() if asked else {"type": "http.disconnect"}

        async def send(message: _Message) -> None:
            told.append(message)

        try:
            await self.application(self._scope(method, url, headers, body), receive, send)
        except Exception as error:
            raise CutOff(f"the application failed: {type(error).__name__}") from error
        return _response(told)

    def _scope(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> dict[str, Any]:
        parts = urlsplit(url)
        names = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        if body is not None:
            names.append((b"content-length", str(len(body)).encode()))
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": parts.scheme,
            "path": unquote(parts.path),
            "raw_path": parts.path.encode("ascii"),
            "query_string": parts.query.encode("ascii"),
            "root_path": "",
            "headers": [(b"host", parts.netloc.encode("ascii")), *names],
            "client": None,
            "server": None,
            "state": dict(self.state),
        }


def _response(told: list[_Message]) -> Response:
    if not told:
        raise CutOff("the application gave no answer")
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in told[0]["headers"]}
    return Response(told[0]["status"], headers, b"".join(message.get("body", b"") for message in told[1:]))
