"""Rate limits that many processes share: each takes what its next calls need from one place."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sparring.core.errors import StoreError
from sparring.core.usage import RateLimit
from sparring.llm.client.rate_limiter import MINUTE, Permit, RateLimiter, RateLimits

BLOCK_SECONDS = 0.25
"""The most that a process takes at once, in seconds of the whole limit."""

_SOONEST, _LATEST = 0.02, 0.25
"""Seconds between two questions where nothing is left."""

_LOST = 1.0
"""Seconds until the next question where the place could not be asked."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Calls and tokens that a process may use, if any; `blocked` are seconds of pause."""

    requests: float
    tokens: float
    blocked: float = 0.0


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """The calls and tokens that a process needs now. Earlier calls took `excess` tokens too many."""

    model: str
    limit: RateLimit
    requests: int
    tokens: int
    excess: float


Ask = Callable[[LeaseRequest], Awaitable[Lease]]
Block = Callable[[str, float], Awaitable[None]]


class LeasedRateLimiter(RateLimiter):
    """A rate limit of which `ask` grants a share; `block` pauses all processes.

    Across processes, the calls of any period exceed the limit by at most `BLOCK_SECONDS` of it.
    """

    def __init__(self, limit: RateLimit, ask: Ask, block: Block, **options: Any) -> None:
        super().__init__(limit, **options)
        self._counts = False  # the place counts
        self._ask_for, self._block = ask, block
        self._requests_left = self._tokens_left = self._excess = 0.0
        self._asking: asyncio.Task[None] | None = None
        self._blocking: set[asyncio.Task[None]] = set()

    def leave(self, permit: Permit, *, tokens: int | None = None, good: bool = False) -> None:
        if tokens is not None:
            self._excess += tokens - permit.tokens
        super().leave(permit, tokens=tokens, good=good)

    def pause(self, seconds: float) -> None:
        super().pause(seconds)
        blocking = asyncio.ensure_future(self._block(self.name, seconds))
        self._blocking.add(blocking)
        blocking.add_done_callback(self._blocking.discard)

    def _grant(self, now: float, tokens: int) -> Permit:
        if self.limit.requests_per_minute:
            self._requests_left -= 1
            self._next = now + MINUTE / self.limit.requests_per_minute
        self._tokens_left -= self._need(tokens)
        return super()._grant(now, tokens)

    def _delay(self, now: float, tokens: int) -> float:
        delay = super()._delay(now, tokens)
        if delay > 0:
            return delay
        may_call = self._requests_left >= 1 or not self.limit.requests_per_minute
        if may_call and self._tokens_left >= self._need(tokens):
            return 0.0
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ask(tokens))
        return math.inf

    def _need(self, tokens: int) -> float:
        """Return the tokens that a call needs of the limit: at most those of a minute."""
        most = self.limit.tokens_per_minute
        return min(tokens, most) if most else 0

    async def _ask(self, tokens: int) -> None:
        """Lease what the waiting calls need, and serve them."""
        per_minute, per_minute_tokens = self.limit.requests_per_minute or 0, self.limit.tokens_per_minute or 0
        waiting = [each.tokens for each in self._queue] or [tokens]
        calls = max(1, math.ceil(per_minute / MINUTE * BLOCK_SECONDS)) if per_minute else len(waiting)
        some = waiting[:calls]
        needed = max(self._need(some[0]), min(sum(some), per_minute_tokens / MINUTE * BLOCK_SECONDS))
        excess, self._excess = self._excess, 0.0
        asked = LeaseRequest(self.name, self.limit, len(some), math.ceil(needed - self._tokens_left), excess)
        try:
            lease = await self._ask_for(asked)
        except StoreError:
            self._excess += excess
            self._again(_LOST)
            return
        self._requests_left += lease.requests
        self._tokens_left += lease.tokens
        if lease.blocked:
            super().pause(lease.blocked)
        if lease.requests or lease.tokens:
            self._asking = None
            self._serve()
            return
        rate = per_minute / MINUTE or math.inf
        self._again(max(lease.blocked, min(_LATEST, max(_SOONEST, 1 / rate))))

    def _again(self, seconds: float) -> None:
        def ask() -> None:
            self._asking = None
            self._serve()

        asyncio.get_running_loop().call_later(seconds, ask)


class SharedRateLimits(RateLimits):
    """Rate limiters that share the configured limits with other processes."""

    def __init__(self, limits: Mapping[str, RateLimit], ask: Ask, block: Block) -> None:
        super().__init__(limits)
        self._ask, self._block = ask, block

    def _limiter(self, limit: RateLimit | None, name: str) -> RateLimiter:
        if limit is None or not (limit.requests_per_minute or limit.tokens_per_minute):
            return super()._limiter(limit, name)
        return LeasedRateLimiter(limit, self._ask, self._block, name=name)
