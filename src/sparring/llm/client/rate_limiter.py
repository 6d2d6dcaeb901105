"""Rate limits of models, and the limits that providers report.

They limit requests, tokens and simultaneous calls. Providers report limits in the headers of every response or in the
text of a rejection. The number of tokens of a call is estimated before it is made.
"""

import asyncio
import math
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
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

_REGROWTH = 0.125
"""Simultaneous calls that each successful call adds after a rejection has halved them.

The number doubles in six rounds.
"""


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
    patience: float


class RateLimiter:
    """The rate limit of one model, shared by all its callers.

    Calls are served in order of arrival. A call counts from its start until a minute after its response, so that the
    provider never counts more calls than this limiter. Calls start evenly spread, because some providers divide a
    minute into seconds. `refusals` counts rejections in a row; simultaneous calls that are rejected together count
    once.
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
        self._told = False
        self._minute = minute
        self._now = now
        self._later = later
        self._counts = bool(self.limit.requests_per_minute or self.limit.tokens_per_minute)
        self._within: deque[Permit] = deque()
        self._tokens = 0
        self._next = -math.inf
        self._shrunk = -math.inf
        self._refusing = math.inf  # since when, without any good answer
        self._queue: deque[_Waiting] = deque()
        self._timer: ScheduledCallback | None = None

    @property
    def counts_tokens(self) -> bool:
        """True if the limit depends on the size of calls."""
        return self.limit.tokens_per_minute is not None

    def never_fits(self, tokens: int) -> str:
        """Return a warning for the first call with more tokens than a minute allows, else an empty text."""
        most = self.limit.tokens_per_minute
        if most is None or tokens <= most or self._told:
            return ""
        self._told = True
        return (
            f"a call takes about {tokens:,} tokens and a minute may have {most:,}: one in a minute is made, and alone"
        )

    def paused_for(self) -> float:
        """Return the number of seconds until the next call may start."""
        return max(0.0, self.paused_until - self._now())

    def rejection_reason(self, patience: float, seconds: float = 0.0) -> str:
        """Return the reason to reject a call that waits at most `patience` seconds; empty if waiting may help.

        A call is rejected if the pause, extended by `seconds`, is longer than that, or if the model has rejected all
        calls for much longer.
        """
        now = self._now()
        until = max(self.paused_until, now + seconds)
        if until - now > patience:
            return f"rate limited for another {in_seconds(until - now)}"
        refusing = until - self._since(now)
        return f"no call has succeeded for {in_seconds(refusing)}" if refusing > _REFUSING * patience else ""

    def _since(self, now: float) -> float:
        """Return the time of the first rejection in a row; one after a quiet minute starts a new row."""
        return now if now - self.paused_until > self._minute else min(self._refusing, now)

    async def enter(self, tokens: int = 0, *, patience: float = math.inf) -> Permit:
        """Wait for permission to make a call with this many tokens.

        Raise ModelUnavailable if there is a `rejection_reason`.
        """
        now = self._now()
        if not self._queue and self._delay(now, tokens) <= 0:
            return self._grant(now, tokens)
        if self.paused_until > now and (vain := self.rejection_reason(patience)):
            raise self._not_asked(vain)
        turn: asyncio.Future[Permit] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(turn, tokens, patience))
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
        if good and self.at_once < math.inf and permit.begun > self._shrunk:
            self.at_once = min(self.at_once + _REGROWTH, self.limit.concurrency or math.inf)
        if self._queue and good:
            self._serve()
        elif self._queue:
            self._look_again(0.0)  # the rejected call sets the pause first

    def pause(self, seconds: float, refused: Permit | None = None) -> bool:
        """Start no call for some seconds. Return True if this is a new pause or a new rejection.

        If the `refused` call started after the last rejection, the number of simultaneous calls is halved.
        """
        now = self._now()
        news = self.paused_until <= now
        self._refusing = self._since(now)
        self.paused_until = max(self.paused_until, now + seconds)
        for each in self._queue:
            if not each.turn.done() and (vain := self.rejection_reason(each.patience)):
                each.turn.set_exception(self._not_asked(vain))
        fresh = refused is not None and refused.begun > self._shrunk
        if fresh:
            self._shrunk = now
            self.refusals += 1
            self.at_once = max(1.0, min(self.at_once, self.in_flight) / 2)
        return fresh or news

    def _not_asked(self, why: str) -> ModelUnavailable:
        error = ModelUnavailable(f"{self.name}: rejects calls; {why}")
        error.made = False
        return error

    def _grant(self, now: float, tokens: int) -> Permit:
        self.in_flight += 1
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
            self._limiters[name] = RateLimiter(limit, name=name)
        return self._limiters[name]

    def pauses(self) -> dict[str, float]:
        """Return the remaining seconds of pause by model."""
        left = {name: limiter.paused_for() for name, limiter in self._limiters.items()}
        return {name: seconds for name, seconds in left.items() if seconds > 0}


_COUNTED = ("requests", "tokens")
_PART = (
    r"\d{1,9}(?:\.\d{1,9})?\s*"
    r"(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|milliseconds?|ms)(?![a-z])"
)
_PARTS = rf"{_PART}(?:[\s,]*(?:and\s+)?{_PART})*"
_DURATION = re.compile(_PARTS, re.IGNORECASE | re.ASCII)
_AMOUNT = re.compile(r"([\d.]+)\s*(milli|ms|[a-z])", re.IGNORECASE | re.ASCII)
_IN_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001, "milli": 0.001}
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?", re.ASCII)
_ASKED = re.compile(
    rf"\b(?:(?:try\s+again|retry)\s+(?:in|after)|wait(?:\s+for)?)\s+({_PARTS})", re.IGNORECASE | re.ASCII
)


def nothing_left(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a used-up quota (`x-ratelimit-remaining-...: 0`) is reset, or None."""
    if "x-ratelimit-remaining-requests" not in headers and "x-ratelimit-remaining-tokens" not in headers:
        return None
    waits = [
        duration(headers.get(f"x-ratelimit-reset-{counted}", ""))
        for counted in _COUNTED
        if headers.get(f"x-ratelimit-remaining-{counted}", "").strip() == "0"
    ]
    return max((wait for wait in waits if wait), default=None)


def duration(text: str) -> float | None:
    """Return the seconds in `6m0s`, `1 minute and 30 seconds`, `120ms` or a plain number, else None."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _IN_SECONDS[unit.lower()] for number, unit in _AMOUNT.findall(text))


def reset_at(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until the time in `x-ratelimit-reset`.

    It is given in seconds or milliseconds since 1970.
    """
    moment = headers.get("x-ratelimit-reset", "").strip()
    if not _EPOCH.fullmatch(moment):
        return None
    seconds = float(moment) / (1000 if len(moment) > 10 else 1) - now.timestamp()
    return seconds if seconds > 0 else None


def asked_in_words(words: str) -> float | None:
    """Return the seconds in a text such as `Please retry in 12.4s`, or None."""
    found = _ASKED.search(words)
    return duration(found[1]) or None if found else None


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
