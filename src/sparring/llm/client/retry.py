"""Asking again, in one place: which wait is right, and when to stop."""

import asyncio
import logging
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from typing import NamedTuple

from sparring.core.clock import Clock, in_seconds
from sparring.core.errors import BadCompletion, ModelError, ModelTimeout
from sparring.core.events import CallRetried, ModelPaused
from sparring.core.usage import Usage
from sparring.llm.call_context import current_call
from sparring.llm.client.rate_limiter import Permit, RateLimiter
from sparring.llm.metering import CallAttempts
from sparring.llm.model import Completion

_log = logging.getLogger(__name__)
_KNOCKS = 4
_LOST = 6  # answers that are paid for and of no use
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,12})?", re.ASCII)


class TryAgain(Exception):
    """An attempt failed as another may not. `error` is what it comes to if it was the last.

    `wait` is what the other side asked for, in seconds: None if nothing, and 0 where only the request has to change.
    `unreachable` is for an address where nobody answers.
    """

    def __init__(
        self, error: ModelError, *, status: int | None = None, wait: float | None = None, unreachable: bool = False
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.status = status
        self.wait = wait
        self.unreachable = unreachable

    @property
    def busy(self) -> bool:
        """Whether the server asks everybody to wait."""
        return self.status == 429 or (self.status in (503, 529) and bool(self.wait))

    @property
    def charged(self) -> bool:
        """Whether it may have to be paid for: the server worked on it, and nobody said what that took."""
        return isinstance(self.error, ModelTimeout | BadCompletion)


class Attempt(NamedTuple):
    """One attempt, counted from 1: its HTTP status if there was one, and why it failed (empty if it did not).

    `wait` is the number of seconds until the next one, or None if there is none.
    """

    number: int
    status: int | None = None
    reason: str = ""
    wait: float | None = None


def log_attempt(attempt: Attempt) -> None:
    """Write failed attempts to the log."""
    if attempt.reason:
        _log.info("attempt %d failed: %s; next in %s s", attempt.number, attempt.reason, attempt.wait)


def telling(model: str) -> Callable[[Attempt], None]:
    """Write failed attempts to the log, and tell of another to whoever listens to the conversation."""

    def tell(attempt: Attempt) -> None:
        log_attempt(attempt)
        if attempt.wait is not None:
            current_call().emit(
                CallRetried(
                    model=model,
                    attempt=attempt.number,
                    status=attempt.status,
                    reason=attempt.reason,
                    wait=attempt.wait,
                )
            )

    return tell


@dataclass(frozen=True)
class Retries:
    """How long to try: each attempt `call_seconds`, all of them and the pauses between them `total_seconds`, and never
    more than `most` attempts, the second no sooner than about `pace` seconds after the first. The time that a call
    waits for its turn by the `limiter` is not counted, nor are pauses that the server asks for, as long as none of
    them is longer than `total_seconds` and somebody is answered in between.
    """

    clock: Clock
    random: Random
    call_seconds: float = 60
    total_seconds: float = 120
    most: int = 20
    pace: float = 0.5
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    on_attempt: Callable[[Attempt], None] = log_attempt
    limiter: RateLimiter | None = None

    async def run(
        self, call: Callable[[], Awaitable[Completion]], *, reached: bool = True, tokens: int = 0
    ) -> Completion:
        """What `call` returns, called until it stops raising `TryAgain` or there is no time left for another.

        A server that nobody has `reached` yet is more likely not there than busy: where nobody answers, it gets a few
        attempts only. Otherwise one may take all the time there is: a model may have to be loaded first, and some
        servers break that off with the connection. `tokens` is how many the call may take. It counts
        attempts that may be billed in the call context, where a metered model finds them if the call is cancelled.
        """
        context, number, left = current_call(), 1, self.total_seconds
        lost = context.attempts or CallAttempts()
        try:
            while True:
                grant = await self.limiter.enter(tokens, patience=self.total_seconds) if self.limiter else None
                begun, completion, lost.running = self.clock.monotonic(), None, True
                seconds = min(self.call_seconds if reached else self.total_seconds, left)
                try:
                    with context.within(seconds):
                        completion = await call()
                except TimeoutError:
                    again = self._late(seconds)
                except TryAgain as failed:
                    again = failed
                except ModelError as error:
                    error.charged += lost.failed
                    self.on_attempt(Attempt(number, reason=str(error)))
                    raise
                finally:
                    if self.limiter and grant:
                        self.limiter.leave(grant, tokens=_tokens(completion), good=completion is not None)
                if completion is not None:
                    self.on_attempt(Attempt(number, 200))
                    return completion if not lost.failed else _with_lost(completion, lost.failed)
                lost.running = False
                lost.failed += again.charged
                together = self.limiter.refusals + 1 if self.limiter and again.status == 429 else number
                wait = _wait(again.wait, together, self.random, self.pace)
                asked = again.wait if self.limiter and again.busy else None
                left -= self.clock.monotonic() - begun + (0.0 if asked else wait)
                vain = bool(self.limiter and asked and self.limiter.in_vain(self.total_seconds, wait))
                unknown = not reached and again.unreachable and number >= _KNOCKS
                if left <= 0 or vain or unknown or number >= self.most or (again.charged and lost.failed >= _LOST):
                    self.on_attempt(Attempt(number, again.status, str(again)))
                    if self.limiter and asked:
                        self.limiter.pause(asked)  # whoever has no patience for that need not ask
                    raise _last(again, number, lost.failed)
                self.on_attempt(Attempt(number, again.status, str(again), wait))
                context.record_retry()
                await self._pause(wait, again, grant)
                number += 1
        except ModelError as error:
            error.charged = max(error.charged, lost.failed)
            error.made = error.made or number > 1
            raise

    async def _pause(self, wait: float, again: TryAgain, grant: Permit | None) -> None:
        """Wait before the next attempt: for everybody who asks the same model where the server is too busy."""
        if self.limiter and wait and again.busy:
            if self.limiter.pause(wait, grant if again.status == 429 else None):
                at_once = int(self.limiter.at_once) if self.limiter.at_once < math.inf else None
                current_call().emit(ModelPaused(model=self.limiter.name, seconds=wait, at_once=at_once))
        elif wait:
            with current_call().waiting():
                await self.sleep(wait)

    def _late(self, seconds: float) -> TryAgain:
        all_left = "" if seconds == self.call_seconds else f", all that was left of {in_seconds(self.total_seconds)}"
        who = f"{self.limiter.name}: " if self.limiter else ""
        return TryAgain(ModelTimeout(f"{who}no answer within {in_seconds(seconds)}{all_left}"))


def _tokens(completion: Completion | None) -> int | None:
    if completion is None or completion.usage.unknown_tokens:
        return None
    return completion.usage.tokens


def _with_lost(completion: Completion, lost: int) -> Completion:
    """The completion, with the attempts that may have been charged though they came to nothing."""
    return replace(completion, usage=completion.usage + Usage(calls=lost, unknown_tokens=lost, unknown_costs=lost))


def _wait(asked: float | None, attempt: int, random: Random, first: float) -> float:
    """Never sooner than asked, and at no faster pace than 0.5 s, 1 s, 2 s, ... 8 s (or another first), up to a quarter
    less."""
    if asked == 0:
        return 0.0
    pace: float = first * 2 ** min(attempt - 1, 4) * (1 - 0.25 * random.random())
    return max(pace, asked or 0.0)


def _last(again: TryAgain, attempts: int, lost: int) -> ModelError:
    """The error after which nobody asks again, with what was tried."""
    details = [f"after {attempts} attempt{'s' if attempts > 1 else ''}"]
    if again.wait:
        details.append(f"it asks to wait {in_seconds(again.wait)}")
    error = type(again.error)(f"{again.error} ({', '.join(details)})", hint=again.error.hint)
    error.charged = lost
    return error


def told_at(headers: Mapping[str, str], now: datetime) -> datetime:
    """What the time is for whoever says when to come back: its clock and ours may be minutes apart."""
    try:
        return _moment(headers.get("date", ""))
    except (ValueError, OverflowError):
        return now


def _moment(date: str) -> datetime:
    moment = parsedate_to_datetime(date)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds a response asks to wait (in seconds, milliseconds, or until a date), or None if it does not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if _NUMBER.fullmatch(value):
            return float(value) * unit or None
    try:
        seconds = (_moment(headers.get("retry-after", "")) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None
