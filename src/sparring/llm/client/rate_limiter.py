"""Rate limits of models: requests, tokens and simultaneous calls.

The number of tokens of a call is estimated before it is made.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import orjson

from sparring.core.clock import in_seconds
from sparring.core.errors import ModelUnavailable
from sparring.core.usage import RateLimit, Usage
from sparring.llm.call_context import current_call
from sparring.llm.client.wire_format import written_tool
from sparring.llm.model import Request
from sparring.llm.provider_addresses import plain

MINUTE = 60.0
_ARRIVAL = 5.0
"""Seconds after which a call has certainly arrived at the provider, even without a response."""

_REFUSING = 3
"""Multiple of the longest acceptable pause after which waiting calls are rejected.

It applies if the model has rejected all calls during that time.
"""

_RECENT, _SUSTAINED = 20, 5
"""Of the last 20 calls, the number of rejections that shows a limit. Fewer are isolated: they delay only themselves."""

_REGROWTH = 4.0
"""Seconds of success after which as many calls run at once as before rejections halved them; then more and more."""


class ScheduledCallback(Protocol):
    """A scheduled callback that can be cancelled."""

    def cancel(self) -> None: ...


@dataclass(slots=True, eq=False)
class Permit:
    """Permission to make a call. `expires` is the time when it no longer counts against the minute."""

    begun: float
    tokens: int
    expires: float


@dataclass(slots=True, eq=False)
class _Waiting:
    turn: asyncio.Future[Permit]
    tokens: int
    max_wait: float


class RateLimiter:
    """The rate limit of one model, shared by all its callers.

    Calls are served in order of arrival. A call counts from its start until a minute after its response, so that the
    provider never counts more calls than this limiter. Calls start evenly spread, because some providers divide a
    minute into seconds. `refusals` counts the rejections without a success between them that paused all calls;
    simultaneous calls that are rejected together count once.
    """

    def __init__(
        self,
        limit: RateLimit | None = None,
        *,
        name: str = "the model",
        minute: float = MINUTE,
        now: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], ScheduledCallback] | None = None,
    ) -> None:
        self.limit = limit or RateLimit()
        self.name = name
        self.paused_until = -math.inf
        self.in_flight = 0
        self.at_once = float(self.limit.concurrency or math.inf)
        self.refusals = 0
        self._warned = False
        self._minute = minute
        self._now = now
        self._later = later
        self._counts = bool(self.limit.requests_per_minute or self.limit.tokens_per_minute)
        self._within: deque[Permit] = deque()
        self._tokens = 0
        self._next = -math.inf
        self._shrunk = -math.inf
        self._shrunk_to = self._before = self.at_once
        self._peak = 0
        self._recent: deque[tuple[float, bool]] = deque(maxlen=_RECENT)  # when, and if it was rejected
        self._refusing = math.inf  # since when, without any good answer
        self._refused_until = -math.inf
        self._noticed = -math.inf
        self._queue: deque[_Waiting] = deque()
        self._timer: ScheduledCallback | None = None

    @property
    def counts_tokens(self) -> bool:
        """True if the limit depends on the size of calls."""
        return self.limit.tokens_per_minute is not None

    def never_fits(self, tokens: int) -> str:
        """Return a warning for the first call with more tokens than a minute allows, else an empty text."""
        most = self.limit.tokens_per_minute
        if most is None or tokens <= most or self._warned:
            return ""
        self._warned = True
        return (
            f"a call takes about {tokens:,} tokens and a minute may have {most:,}: one in a minute is made, and alone"
        )

    def paused_for(self) -> float:
        """Return the number of seconds until the next call may start."""
        return max(0.0, self.paused_until - self._now())

    def rejection_reason(self, max_wait: float, seconds: float = 0.0) -> str:
        """Return the reason to reject a call that waits at most `max_wait` seconds; empty if waiting may help.

        A call is rejected if the pause, extended by `seconds`, is longer than that, or if the model has rejected all
        calls for much longer.
        """
        now = self._now()
        until = max(self.paused_until, now + seconds)
        if until - now > max_wait:
            return f"rate limited for another {in_seconds(until - now)}"
        refusing = until - self._since(now)
        return f"no call has succeeded for {in_seconds(refusing)}" if refusing > _REFUSING * max_wait else ""

    def _since(self, now: float) -> float:
        """Return the time of the first rejection in a row; one after a quiet minute starts a new row."""
        return now if now - self._refused_until > self._minute else min(self._refusing, now)

    async def enter(self, tokens: int = 0, *, max_wait: float = math.inf) -> Permit:
        """Wait for permission to make a call with this many tokens.

        Raise ModelUnavailable if there is a `rejection_reason`.
        """
        now = self._now()
        if not self._queue and self._delay(now, tokens) <= 0:
            return self._grant(now, tokens)
        if self.paused_until > now and (vain := self.rejection_reason(max_wait)):
            raise self._not_asked(vain)
        turn: asyncio.Future[Permit] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(turn, tokens, max_wait))
        self._serve()
        try:
            with current_call().waiting():
                return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave(turn.result())
            raise

    def leave(self, permit: Permit, *, tokens: int | None = None, good: bool = False) -> None:
        """End a call. `tokens` is its actual size if known, and `good` is true if it succeeded."""
        now = self._now()
        self.in_flight -= 1
        if self._counts and permit.expires > now:
            permit.expires = min(permit.expires, now + self._minute)
            if tokens is not None:
                self._tokens += tokens - permit.tokens
                permit.tokens = tokens
        if good:
            self._refusing = math.inf
        if good and permit.begun > self._shrunk:
            self.refusals = 0
            self._recent.append((now, False))
            self._grow(now)
        if self._queue and good:
            self._serve()
        elif self._queue:
            self._look_again(0.0)  # the rejected call sets the pause first

    def refuse(self, permit: Permit | None, seconds: float) -> bool:
        """Record the rejection of a call that has to wait some seconds. Return True if all calls have to.

        They have to if rejections are sustained. Then the number of simultaneous calls is halved, too. Rejections of
        calls that started before that are its consequence, and change nothing.
        """
        now = self._now()
        self._refusing = self._since(now)
        self._refused_until = max(self._refused_until, now + seconds)
        if permit is not None and permit.begun <= self._shrunk:
            return False
        self._recent.append((now, True))
        if not self.refusals and sum(bad for at, bad in self._recent if now - at < self._minute) < _SUSTAINED:
            return False
        self.pause(seconds)
        running = min(self.at_once, max(1, self._peak))
        self._before = self._before if self.refusals else running
        self.at_once = self._shrunk_to = max(1.0, running / 2)
        self._shrunk, self._peak = now, self.in_flight
        self.refusals += 1
        self._recent.clear()
        return True

    def _grow(self, now: float) -> None:
        """Allow more simultaneous calls the longer it goes well: slowly around the number that was too large."""
        if self.at_once < (self.limit.concurrency or math.inf):
            rounds = (now - max(self._shrunk, self.paused_until)) / _REGROWTH
            more = self._before + max(1.0, self._before - self._shrunk_to) * (rounds - 1) ** 3
            self.at_once = min(max(self.at_once, more), self.limit.concurrency or math.inf)

    def pause(self, seconds: float) -> None:
        """Start no call for some seconds."""
        self.paused_until = max(self.paused_until, self._now() + seconds)
        for each in self._queue:
            if not each.turn.done() and (vain := self.rejection_reason(each.max_wait)):
                each.turn.set_exception(self._not_asked(vain))

    def notice(self) -> bool:
        """Return True once a minute: a pause is worth a line."""
        now = self._now()
        if now - self._noticed < self._minute:
            return False
        self._noticed = now
        return True

    def _not_asked(self, why: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.name}: rejects calls; {why}")

    def _grant(self, now: float, tokens: int) -> Permit:
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        permit = Permit(now, tokens, now + _ARRIVAL + self._minute)
        if self._counts:
            self._within.append(permit)
            self._tokens += tokens
            if self.limit.requests_per_minute:
                self._next = now + self._minute / self.limit.requests_per_minute
        return permit

    def _serve(self) -> None:
        """Grant waiting calls in order, and schedule the next check."""
        self._look_again(math.inf)
        while self._queue:
            first = self._queue[0]
            if not first.turn.done():
                now = self._now()
                delay = self._delay(now, first.tokens)
                if delay > 0:
                    self._look_again(delay)
                    return
                first.turn.set_result(self._grant(now, first.tokens))
            self._queue.popleft()

    def _look_again(self, delay: float) -> None:
        """Schedule the next check, or cancel it if `delay` is infinite: then the end of a call triggers it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if delay < math.inf:
            self._timer = (self._later or asyncio.get_running_loop().call_later)(delay, self._serve)

    def _delay(self, now: float, tokens: int) -> float:
        """Return the seconds until a call may start; infinite if that depends on running calls."""
        if self.in_flight + 1 > self.at_once:
            return math.inf
        delay = max(self.paused_until, self._next) - now
        return max(delay, self._room(now, tokens)) if self._counts else delay

    def _room(self, now: float, tokens: int) -> float:
        """Return the seconds until the minute has room for a call."""
        within, limit = self._within, self.limit
        while within and within[0].expires <= now:
            self._tokens -= within.popleft().tokens
        requests, most = limit.requests_per_minute or math.inf, limit.tokens_per_minute or math.inf
        if len(within) < requests and (not within or self._tokens + tokens <= most):
            return 0.0
        return within[0].expires - now


class RateLimits:
    """Rate limiters by full model name, shared by all callers of a model.

    `limits` names models (`openai:gpt-4o-mini`), or providers (`openai`, or an address) for each of their models
    without a limit of its own.
    """

    def __init__(self, limits: Mapping[str, RateLimit] | None = None) -> None:
        self._limits = {plain(name): limit for name, limit in (limits or {}).items()}
        self._limiters: dict[str, RateLimiter] = {}

    def of(self, name: str) -> RateLimiter:
        """Return the rate limiter of a model."""
        if name not in self._limiters:
            called = plain(name)
            provider = called.partition("#" if called.startswith(("http://", "https://")) else ":")[0]
            limit = self._limits.get(called) or self._limits.get(plain(provider))
            self._limiters[name] = self._limiter(limit, name)
        return self._limiters[name]

    def _limiter(self, limit: RateLimit | None, name: str) -> RateLimiter:
        return RateLimiter(limit, name=name)

    def pauses(self) -> dict[str, float]:
        """Return the remaining seconds of pause by model."""
        left = {name: limiter.paused_for() for name, limiter in self._limiters.items()}
        return {name: seconds for name, seconds in left.items() if seconds > 0}


_ANSWER = 256
_AROUND = 20
_FORGETTING = 0.125


class TokenEstimator:
    """Estimates the tokens of calls of one model.

    The estimate is a quarter of the bytes sent, plus the length of the answer. It rises at once if a call took more
    than estimated, as in some languages or with reasoning. It falls slowly if calls took less.
    """

    def __init__(self) -> None:
        self._factor = 1.0
        self._answer = 0.0

    def guess(self, request: Request) -> int:
        """Return the estimated number of tokens of a call."""
        asked = int((_sent(request) + _ANSWER) * self._factor) - _ANSWER
        return asked + max(request.max_tokens or _ANSWER, round(self._answer))

    def learn(self, request: Request, usage: Usage) -> None:
        """Adapt the estimate to the reported usage of a call."""
        if usage.unknown_tokens or not usage.calls:
            return
        # What servers add to every request, such as a template, is no measure of long ones.
        took = (usage.input_tokens / usage.calls + _ANSWER) / (_sent(request) + _ANSWER)
        self._factor = max(1.0, _believed(self._factor, took))
        self._answer = _believed(self._answer, usage.output_tokens / usage.calls)


def _believed(before: float, took: float) -> float:
    return max(took, before + (took - before) * _FORGETTING)


def _sent(request: Request) -> int:
    asked = sum(len(message.content.encode()) + _AROUND for message in request.messages)
    asked += sum(_length(written_tool(tool)) for tool in request.tools)
    if request.answer is not None:
        asked += _length(request.answer.schema)
    return asked // 4


def _length(value: object) -> int:
    return len(orjson.dumps(value, default=dict))
