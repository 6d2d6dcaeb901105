"""A transport that opens its connections for the first request: the HTTP client imports slowly."""

import asyncio
import os
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

from sparring.llm.client.transport import NOT_OPEN, NoConnection, Response, Transport


class LateTransport:
    """A pooled `Transport`, usable inside `async with`, that opens its connections for the first request."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        self._stack: AsyncExitStack | None = None
        self._transport: Transport | None = None
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        stack, self._stack, self._transport = self._stack, None, None
        if stack is not None:
            await stack.aclose()

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None
    ) -> Coroutine[Any, Any, Response]:
        send = self._first if self._transport is None else self._transport.send  # holds no body meanwhile
        return send(method, url, headers=headers, body=body)

    async def _first(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        transport = await self._opened()
        return await transport.send(method, url, headers=headers, body=body)

    async def _opened(self) -> Transport:
        from sparring.llm.client.http_transport import HttpTransport  # imports yarl, ssl and more

        async with self._opening:
            if self._stack is None:
                raise NoConnection(NOT_OPEN)
            if self._transport is None:
                self._transport = await self._stack.enter_async_context(HttpTransport(self._environment))
            return self._transport
