"""Connections that are not made ready before somebody needs one: what makes them takes a while to import."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from sparring.models.transport import Response, Transport, TransportError


class LateTransport:
    """A pooled `Transport`, usable inside `async with`, whose connections are made ready for the first request."""

    def __init__(self) -> None:
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

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        transport = self._transport or await self._opened()
        return await transport.send(method, url, headers=headers, body=body)

    async def _opened(self) -> Transport:
        from sparring.models.aiohttp_transport import AiohttpTransport  # the one heavy import of a run

        async with self._opening:
            if self._stack is None:
                raise TransportError("the connections are not open")
            if self._transport is None:
                self._transport = await self._stack.enter_async_context(AiohttpTransport())
            return self._transport
