"""A loopback model server in OpenAI's format, over real sockets, with faults and rate limits."""

import asyncio
import math
import struct
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from random import Random
from socket import SO_LINGER, SOL_SOCKET
from types import TracebackType
from typing import Any, Self

import orjson
from aiohttp import web

from model_faults import InjectedFault, completion
from sparring.core.usage import RateLimit
from sparring.llm.model import ToolRequest

Reply = str | ToolRequest | tuple[ToolRequest, ...] | InjectedFault
"""Text, tool requests, or a fault."""

ReplyOrFunction = Reply | Callable[[dict[str, Any]], Reply]
"""A reply, or a function of the request's body that returns one."""


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A received request, with header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class LoopbackModelServer:
    """Serves `/v1/chat/completions` and `/v1/models` on 127.0.0.1 inside `async with`.

    Returns the replies in order, then `otherwise` for every further call. A share `rate` of the calls fails with one of
    the `faults`, drawn from `seed`. Records the `requests` and the `peak` of concurrent calls; `hung_up` is set if a
    client disconnects before its response.
    """

    def __init__(
        self,
        *replies: ReplyOrFunction,
        otherwise: ReplyOrFunction | None = None,
        faults: tuple[InjectedFault, ...] = (),
        rate: float = 0.0,
        seed: int = 0,
        limit: RateLimit | None = None,
        minute: float = 60.0,
        latency: float = 0.0,
        keep: bool = True,
    ) -> None:
        self._replies = list(replies)
        self._otherwise = otherwise
        self._faults = faults
        self._rate = rate
        self._random = Random(seed)
        self._calls = count(1)
        self._in_flight = 0
        self._limit = limit or RateLimit()
        self._minute = minute
        self._latency = latency
        self._keep = keep
        self._within: deque[tuple[float, int]] = deque()
        self.url = ""
        self.calls = 0
        self.exceeded = 0
        self.peak = 0
        self.requests: list[ReceivedRequest] = []
        self.hung_up = asyncio.Event()
        self._arrival = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    def will(self, *replies: ReplyOrFunction) -> None:
        """Append further replies."""
        self._replies.extend(replies)

    async def arrived(self, calls: int) -> None:
        """Wait until the server has received this many calls since its start."""
        while self.calls < calls:
            self._arrival.clear()
            await self._arrival.wait()

    async def idle(self) -> None:
        """Wait until no call is in flight."""
        await self._quiet.wait()

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "loopback", "object": "model"}]})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self._in_flight += 1
        self._quiet.clear()
        self.peak = max(self.peak, self._in_flight)
        try:
            raw = await request.read()
            body = orjson.loads(raw)
            self.calls += 1
            if self._keep:
                headers = {name.lower(): value for name, value in request.headers.items()}
                self.requests.append(ReceivedRequest(request.path, headers, body))
            self._arrival.set()
            if self._too_many(len(raw) // 4):
                self.exceeded += 1
                return await _send(InjectedFault.status(429, "too many", retry_after=self._minute), request)
            if self._latency:
                await asyncio.sleep(self._latency)
            return await _send(self._fault(body), request)
        except asyncio.CancelledError:
            self.hung_up.set()
            raise
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._quiet.set()

    def _too_many(self, tokens: int) -> bool:
        """Count a call and return True if it exceeds a rate limit."""
        now, limit = time.monotonic(), self._limit
        while self._within and self._within[0][0] <= now - self._minute:
            self._within.popleft()
        self._within.append((now, tokens))
        return (
            self._in_flight > (limit.concurrency or math.inf)
            or len(self._within) > (limit.requests_per_minute or math.inf)
            or sum(tokens for _, tokens in self._within) > (limit.tokens_per_minute or math.inf)
        )

    def _fault(self, body: dict[str, Any]) -> InjectedFault:
        """Return the response to send: a randomly drawn fault, or the next reply."""
        if self._faults and self._random.random() < self._rate:
            return self._random.choice(self._faults)
        reply = self._replies.pop(0) if self._replies else self._otherwise
        if reply is None:
            return InjectedFault.status(400, "this LoopbackModelServer has no reply left")
        reply = reply(body) if callable(reply) else reply
        return (
            reply
            if isinstance(reply, InjectedFault)
            else InjectedFault.response(completion(_assistant_message(reply, self._calls)))
        )


def _assistant_message(reply: str | ToolRequest | tuple[ToolRequest, ...], ids: "count[int]") -> dict[str, Any]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}
    asked = (reply,) if isinstance(reply, ToolRequest) else reply
    calls = [
        {
            "id": each.id or f"call_{next(ids)}",
            "type": "function",
            "function": {"name": each.name, "arguments": each.arguments},
        }
        for each in asked
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


async def _send(fault: InjectedFault, request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(fault.before)
    if fault.resets:
        _reset(request)
    if fault.hangs_up:
        return _close(request, web.StreamResponse())
    key = request.headers.get("authorization", "").removeprefix("Bearer ")
    body = fault.body.replace(b"{key}", key.encode())
    response = web.StreamResponse(status=fault.code, headers=dict(fault.headers))
    response.content_length = len(body)
    await response.prepare(request)
    half = len(body) // 2 if fault.between else len(body) if fault.sent is None else fault.sent
    await response.write(body[:half])
    await asyncio.sleep(fault.between)
    if fault.sent is not None:
        return _close(request, response)
    await response.write(body[half:])
    await response.write_eof()
    return response


def _reset(request: web.Request) -> None:
    """Make the connection end with a reset when it is closed."""
    socket = request.transport.get_extra_info("socket") if request.transport is not None else None
    if socket is not None:
        socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))


def _close(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Close the connection and return the response, whose remaining bytes are discarded."""
    if request.transport is not None:
        request.transport.close()
    return response
