"""Client of the order API, and a transport that sends requests to an ASGI application in this process."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

import orjson
from pydantic import TypeAdapter, ValidationError

from sparring.core.value import Json
from sparring.llm.client.transport import ConnectionLost, Response, Transport, TransportError
from sparring_bots.service.orders import Order, Tracking
from sparring_bots.service.policy import Policy, Refusal

T = TypeVar("T")
_ORDER = TypeAdapter(Order)
_ORDERS = TypeAdapter(tuple[Order, ...])
_TRACKING = TypeAdapter(Tracking)
_POLICY = TypeAdapter(Policy)
_CANCELLED = TypeAdapter(dict[str, Json])


class OrderApiError(Exception):
    """The order API is unreachable or returns an invalid response."""


@dataclass(frozen=True)
class OrderApi:
    """Client of the five endpoints.

    Each method returns the result or a `Refusal`, or raises `OrderApiError`.

    The API checks the customer `caller`; testers, who are not customers, omit it.
    """

    transport: Transport
    url: str
    seconds: float = 10

    async def order(self, order_id: str, caller: str | None = None) -> Order | Refusal:
        """Return an order."""
        found = await self._request("GET", f"/orders/{_quote(order_id)}", caller)
        return found if isinstance(found, Refusal) else _parse(_ORDER, found)

    async def tracking(self, order_id: str, caller: str | None = None) -> Tracking | Refusal:
        """Return the tracking data of an order."""
        found = await self._request("GET", f"/orders/{_quote(order_id)}/tracking", caller)
        return found if isinstance(found, Refusal) else _parse(_TRACKING, found)

    async def orders(self, customer_id: str, caller: str | None = None) -> tuple[Order, ...] | Refusal:
        """Return the orders of a customer."""
        found = await self._request("GET", f"/customers/{_quote(customer_id)}/orders", caller)
        return found if isinstance(found, Refusal) else _parse(_ORDERS, found)

    async def cancel(self, order_id: str, customer_id: str, reason: str) -> dict[str, Json] | Refusal:
        """Cancel an order."""
        body = orjson.dumps({"customer_id": customer_id, "reason": reason})
        done = await self._request("POST", f"/orders/{_quote(order_id)}/cancel", customer_id, body)
        return done if isinstance(done, Refusal) else _parse(_CANCELLED, done)

    async def policy(self) -> Policy:
        """Return the cancellation policy."""
        found = await self._request("GET", "/policy", None)
        if isinstance(found, Refusal):
            raise OrderApiError("the order API does not tell its policy")
        return _parse(_POLICY, found)

    async def _request(self, method: str, path: str, caller: str | None, body: bytes | None = None) -> bytes | Refusal:
        headers = {} if caller is None else {"x-customer-id": caller}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            async with asyncio.timeout(self.seconds):
                answer = await self.transport.send(method, self.url + path, headers=headers, body=body)
        except (TransportError, TimeoutError) as error:
            raise OrderApiError("the order API does not respond") from error
        if answer.status == 200:
            return answer.body
        try:
            return Refusal.model_validate_json(answer.body)
        except ValidationError as error:
            raise OrderApiError(f"the order API returned HTTP {answer.status}") from error


def _quote(id: str) -> str:
    return quote(id, safe="", errors="replace")


def _parse(kind: TypeAdapter[T], body: bytes) -> T:
    try:
        return kind.validate_json(body)
    except ValidationError as error:
        raise OrderApiError("the order API returned an invalid response") from error


_Message = MutableMapping[str, Any]
Application = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[_Message]], Callable[[_Message], Awaitable[None]]],
    Awaitable[None],
]
"""An ASGI application."""


@dataclass(frozen=True)
class InProcessTransport:
    """A transport that passes requests to `application`, with `state` as the state of its lifespan.

    An exception in the application becomes `ConnectionLost`, as it would over a network.
    """

    application: Application
    state: Mapping[str, object]

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        """Send one request and return the complete response."""
        asked = [{"type": "http.request", "body": body or b"", "more_body": False}]
        messages: list[_Message] = []

        async def receive() -> _Message:
            return asked.pop() if asked else {"type": "http.disconnect"}

        async def send(message: _Message) -> None:
            messages.append(message)

        try:
            await self.application(self._scope(method, url, headers, body), receive, send)
        except Exception as error:
            raise ConnectionLost(f"the application failed: {type(error).__name__}") from error
        return _response(messages)

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


def _response(messages: list[_Message]) -> Response:
    if not messages:
        raise ConnectionLost("the application sent no response")
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in messages[0]["headers"]}
    return Response(messages[0]["status"], headers, b"".join(each.get("body", b"") for each in messages[1:]))
