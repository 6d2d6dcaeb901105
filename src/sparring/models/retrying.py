"""Asking again, in one place: which wait is right, and when to stop."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from typing import TypeVar

from sparring.core.clock import Clock
from sparring.core.errors import ModelError, ModelTimeout

T = TypeVar("T")

_log = logging.getLogger(__name__)
_KNOCKS = 4
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


@dataclass(frozen=True, slots=True)
class Attempt:
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


@dataclass(frozen=True)
class Retries:
    """How long to try: each attempt `call_seconds`, all of them and the waits between them `total_seconds`."""

    clock: Clock
    random: Random
    call_seconds: float = 60
    total_seconds: float = 120
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    on_attempt: Callable[[Attempt], None] = log_attempt

    async def run(self, call: Callable[[], Awaitable[T]], *, reached: bool = True) -> T:
        """What `call` returns, called until it stops raising `TryAgain` or there is no time left for another.

        A server that nobody has `reached` yet is more likely not there than busy: it gets a few attempts only.
        """
        start = self.clock.monotonic()
        number, left = 1, self.total_seconds
        while True:
            try:
                result = await self._once(call, left)
            except TryAgain as failed:
                again = failed
            except ModelError as error:
                self.on_attempt(Attempt(number, reason=str(error)))
                raise
            else:
                self.on_attempt(Attempt(number, 200))
                return result
            wait = _wait(again.wait, number, self.random)
            left = self.total_seconds - (self.clock.monotonic() - start) - wait
            if left <= 0 or (not reached and again.unreachable and number >= _KNOCKS):
                self.on_attempt(Attempt(number, again.status, str(again)))
                raise _last(again, number)
            self.on_attempt(Attempt(number, again.status, str(again), wait))
            if wait:
                await self.sleep(wait)
            number += 1

    async def _once(self, call: Callable[[], Awaitable[T]], left: float) -> T:
        seconds = min(self.call_seconds, left)
        try:
            async with asyncio.timeout(seconds):
                return await call()
        except TimeoutError:
            pass
        raise TryAgain(ModelTimeout(f"no answer within {seconds:.3g} s"))


def _wait(asked: float | None, attempt: int, random: Random) -> float:
    """Never sooner than asked, and never at a faster pace than 0.5 s, 1 s, 2 s, ... 8 s, each up to a quarter less."""
    if asked == 0:
        return 0.0
    pace: float = 0.5 * 2 ** min(attempt - 1, 4) * (1 - 0.25 * random.random())
    return max(pace, asked or 0.0)


def _last(again: TryAgain, attempts: int) -> ModelError:
    """The error after which nobody asks again, with what was tried."""
    details = [f"after {attempts} attempt{'s' if attempts > 1 else ''}"]
    if again.wait:
        details.append(f"it asks to wait {again.wait:.3g} s")
    return type(again.error)(f"{again.error} ({', '.join(details)})", hint=again.error.hint)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds a response asks to wait (in seconds, milliseconds, or until a date), or None if it does not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if _NUMBER.fullmatch(value):
            return float(value) * unit or None
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        seconds = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None
