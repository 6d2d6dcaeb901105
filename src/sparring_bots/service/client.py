"""The order API as the tools see it: over HTTP, wherever it is.

HTTP without a network: requests to an ASGI application of this process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

import orjson
from pydantic import TypeAdapter, ValidationError

from sparring.core.value import Json
from sparring.llm.client.transport import ConnectionLost, Response, Transport, TransportError
from sparring_bots.service.errors import Refusal
from sparring_bots.service.orders import Order, Tracking

T = TypeVar("T")
_ORDER = TypeAdapter(Order)
_ORDERS = TypeAdapter(tuple[Order, ...])
_TRACKING = TypeAdapter(Tracking)
_CANCELLED = TypeAdapter(dict[str, Json])


class ApiFailed(Exception):
    """The order API cannot be reached, or does not answer as it should."""


@dataclass(frozen=True)
class OrderApi:
    """The four endpoints. Each gives what it found, or the API's refusal; an ApiFailed if there is neither.

    `caller` is who asks, so that the API looks at it too; a tester, who is nobody's customer, leaves it out.
    """

    transport: Transport
    url: str
    seconds: float = 10

    async def order(self, order_id: str, caller: str | None = None) -> Order | Refusal:
        """An order."""
        found = await self._ask("GET", f"/orders/{_part(order_id)}", caller)
        return found if isinstance(found, Refusal) else _read(_ORDER, found)

    async def tracking(self, order_id: str, caller: str | None = None) -> Tracking | Refusal:
        """Where an order is."""
        found = await self._ask("GET", f"/orders/{_part(order_id)}/tracking", caller)
        return found if isinstance(found, Refusal) else _read(_TRACKING, found)

    async def orders(self, customer_id: str, caller: str | None = None) -> tuple[Order, ...] | Refusal:
        """The orders of a customer."""
        found = await self._ask("GET", f"/customers/{_part(customer_id)}/orders", caller)
        return found if isinstance(found, Refusal) else _read(_ORDERS, found)

    async def cancel(self, order_id: str, customer_id: str, reason: str) -> dict[str, Json] | Refusal:
        """Cancel an order."""
        body = orjson.dumps({"customer_id": customer_id, "reason": reason})
        done = await self._ask("POST", f"/orders/{_part(order_id)}/cancel", customer_id, body)
        return done if isinstance(done, Refusal) else _read(_CANCELLED, done)

    async def _ask(self, method: str, path: str, caller: str | None, body: bytes | None = None) -> bytes | Refusal:
        headers = {} if caller is None else {"x-customer-id": caller}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            async with asyncio.timeout(self.seconds):
                answer = await self.transport.send(method, self.url + path, headers=headers, body=body)
        except (TransportError, TimeoutError) as error:
            raise ApiFailed("the order API does not answer") from error
        if answer.status == 200:
            return answer.body
        try:
            return Refusal.model_validate_json(answer.body)
        except ValidationError as error:
            raise ApiFailed(f"the order API answers with HTTP {answer.status}") from error


def _part(id: str) -> str:
    return quote(id, safe="", errors="replace")


def _read(kind: TypeAdapter[T], body: bytes) -> T:
    try:
        return kind.validate_json(body)
    except ValidationError as error:
        raise ApiFailed("the order API answers with something else than it should") from error


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
            raise ConnectionLost(f"the application failed: {type(error).__name__}") from error
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
        raise ConnectionLost("the application gave no answer")
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in told[0]["headers"]}
    return Response(told[0]["status"], headers, b"".join(message.get("body", b"") for message in told[1:]))
