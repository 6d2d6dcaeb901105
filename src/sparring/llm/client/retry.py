"""Retries of model calls: the policy that decides, and the loop that carries it out."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
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
_MAX_UNREACHED = 4
"""Attempts at a server that never answered: it is more likely absent than busy."""

_MAX_BILLABLE = 6
"""Attempts of one call that may be billed although their answers were useless."""


class TryAgain(Exception):
    """An attempt failed in a way that another attempt may not.

    `error` is raised if this was the last attempt. `wait` is the time the server asks for, in seconds: None if it does
    not say, and 0 if only the request has to change. `unreachable` means that no server answers at the address,
    `useless` that the server worked on a request whose answer is of no use. An `unanswered` request may have been read
    before the connection ended.
    """

    def __init__(
        self,
        error: ModelError,
        *,
        status: int | None = None,
        wait: float | None = None,
        unreachable: bool = False,
        unanswered: bool = False,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.status = status
        self.wait = wait
        self.unreachable = unreachable
        self.useless = isinstance(error, ModelTimeout | BadCompletion)
        self.billable = self.useless or unanswered

    @property
    def busy(self) -> bool:
        """True if the server asks all clients to back off."""
        return self.status == 429 or (self.status in (503, 529) and bool(self.wait))


class Attempt(NamedTuple):
    """One attempt, counted from 1, with its HTTP status if there was one.

    `reason` is empty if it succeeded. `wait` is the number of seconds until the next attempt, or None if there is none.
    """

    number: int
    status: int | None = None
    reason: str = ""
    wait: float | None = None


def log_attempt(attempt: Attempt) -> None:
    """Write failed attempts to the log."""
    if attempt.reason:
        _log.info("attempt %d failed: %s; next in %s s", attempt.number, attempt.reason, attempt.wait)


def retry_listener(model: str) -> Callable[[Attempt], None]:
    """Return a listener that logs failed attempts and emits an event for each retry."""

    def listen(attempt: Attempt) -> None:
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

    return listen


class CallProgress(NamedTuple):
    """State of a call while its attempt `number` runs, which began at the time `begun`.

    `left` is the number of seconds that were left when it began. `billable` counts the failed attempts that may be
    billed, this one included. `reached` is true once the server has answered any call. `refusals` is the number of
    pauses in a row of all calls of this model, or None if the model has no rate limiter.
    """

    number: int
    begun: float
    left: float
    billable: int = 0
    reached: bool = True
    refusals: int | None = None


class Wait(NamedTuple):
    """Wait, then try again with `left` seconds left; if `shared`, all calls of the model may wait."""

    seconds: float
    left: float
    shared: bool = False


class GiveUp(NamedTuple):
    """Stop: this attempt was the last. `pause` is the time that other calls of the model have to wait."""

    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Decides whether another attempt follows a failed one, and when. It has no state and no side effects.

    All attempts and the waits between them take at most `total_seconds`, and there are at most `most` attempts. Waits
    double from about `pace` seconds to 16 times as many; `jitter`, from 0 to 1, takes up to a quarter off them. A wait
    that the server asks for is never shortened, and does not count against the time if all calls of the model share it.
    """

    total_seconds: float = 120
    most: int = 20
    pace: float = 0.5
    jitter: Callable[[], float] = field(kw_only=True)

    def next(self, attempt: CallProgress, failure: TryAgain, clock: Clock) -> Wait | GiveUp:
        """Return the next step after a failed attempt."""
        limited = attempt.refusals is not None
        in_a_row = max(attempt.number, (attempt.refusals or 0) + 1) if failure.status == 429 else attempt.number
        seconds = self._back_off(failure.wait, in_a_row)
        pause = failure.wait or 0.0 if limited and failure.busy else 0.0
        left = attempt.left - (clock.monotonic() - attempt.begun) - (0.0 if pause else seconds)
        if left <= 0 or self._exhausted(attempt, failure):
            return GiveUp(pause)
        return Wait(seconds, left, shared=limited and failure.busy and seconds > 0)

    def _back_off(self, asked: float | None, attempt: int) -> float:
        if asked == 0:
            return 0.0
        seconds: float = self.pace * 2 ** min(attempt - 1, 4) * (1 - 0.25 * self.jitter())
        return max(seconds, asked or 0.0)

    def _exhausted(self, attempt: CallProgress, failure: TryAgain) -> bool:
        absent = failure.unreachable and not attempt.reached and attempt.number >= _MAX_UNREACHED
        useless = failure.useless and attempt.billable >= _MAX_BILLABLE
        return absent or useless or attempt.number >= self.most


@dataclass(frozen=True)
class Retries:
    """Carries out calls under a `RetryPolicy`.

    An attempt takes at most `call_seconds`. The time that a call waits for its turn at the `limiter` does not count.
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

    @property
    def policy(self) -> RetryPolicy:
        """Policy of these retries."""
        return RetryPolicy(self.total_seconds, self.most, self.pace, jitter=self.random.random)

    async def run(
        self, call: Callable[[], Awaitable[Completion]], *, reached: bool = True, tokens: int = 0
    ) -> Completion:
        """Call until there is a completion.

        Raise a ModelError if the policy gives up or an attempt fails for good. An attempt at a server that was never
        `reached` may take all the time that is left: the server may have to load its model first, and some servers stop
        loading when the connection closes. `tokens` is the estimated size of the call. Attempts that may be billed are
        counted in the call context, for the case that the call is cancelled.
        """
        attempts = current_call().attempts or CallAttempts()
        attempts.failed, attempts.stated, attempts.running = 0, Usage(), False
        number, left, longest = 1, self.total_seconds, self.call_seconds if reached else self.total_seconds
        try:
            while True:
                permit = await self.limiter.enter(tokens, max_wait=self.total_seconds) if self.limiter else None
                begun = self.clock.monotonic()
                result = await self._attempt(call, number, min(longest, left), permit, attempts)
                if not isinstance(result, TryAgain):
                    self.on_attempt(Attempt(number, 200))
                    current_call().record_recovery()
                    failed = attempts.failed
                    return replace(result, usage=result.usage + attempts.usage(failed)) if failed else result
                refusals = self.limiter.refusals if self.limiter else None
                progress = CallProgress(number, begun, left, attempts.failed, reached, refusals)
                wait = self._decided(progress, result)
                current_call().record_retry()
                await self._pause(wait, permit)
                number, left = number + 1, wait.left
        except ModelError as error:
            error.charged, error.usage = max(error.charged, attempts.failed), attempts.stated
            raise

    async def _attempt(
        self,
        call: Callable[[], Awaitable[Completion]],
        number: int,
        seconds: float,
        permit: Permit | None,
        attempts: CallAttempts,
    ) -> Completion | TryAgain:
        """Make one attempt, and give the permit back."""
        completion = None
        try:
            await attempts.begin()
            with current_call().within(seconds):
                completion = await call()
            return completion
        except TimeoutError:
            failure = self._late(seconds)
        except TryAgain as failed:
            failure = failed
        except ModelError as error:
            error.charged += attempts.failed
            attempts.stated += error.usage or Usage()
            self.on_attempt(Attempt(number, reason=str(error)))
            raise
        finally:
            if self.limiter and permit:
                self.limiter.leave(permit, tokens=_tokens(completion), good=completion is not None)
        attempts.running = False
        attempts.failed += failure.billable
        attempts.stated += failure.error.usage or Usage()
        return failure

    def _decided(self, progress: CallProgress, failure: TryAgain) -> Wait:
        """Return the wait before the next attempt; raise the last error if the policy or the limiter gives up."""
        step = self.policy.next(progress, failure, self.clock)
        if isinstance(step, Wait) and step.shared and failure.wait and self._hopeless(step.seconds):
            step = GiveUp(failure.wait)
        if isinstance(step, Wait):
            self.on_attempt(Attempt(progress.number, failure.status, str(failure), step.seconds))
            return step
        self.on_attempt(Attempt(progress.number, failure.status, str(failure)))
        if self.limiter and step.pause:
            self.limiter.pause(step.pause)
        raise _last(failure, progress.number, progress.billable)

    def _hopeless(self, seconds: float) -> bool:
        return self.limiter is not None and bool(self.limiter.rejection_reason(self.total_seconds, seconds))

    async def _pause(self, wait: Wait, permit: Permit | None) -> None:
        """Wait before the next attempt, or let the limiter delay all calls of the model."""
        if self.limiter and wait.shared and self.limiter.refuse(permit, wait.seconds):
            if self.limiter.notice():
                at_once = int(self.limiter.at_once)
                current_call().emit(ModelPaused(model=self.limiter.name, seconds=wait.seconds, at_once=at_once))
        elif wait.seconds:
            with current_call().waiting():
                async with current_call().lending():
                    await self.sleep(wait.seconds)

    def _late(self, seconds: float) -> TryAgain:
        all_left = "" if seconds == self.call_seconds else f", all that was left of {in_seconds(self.total_seconds)}"
        who = f"{self.limiter.name}: " if self.limiter else ""
        return TryAgain(ModelTimeout(f"{who}no answer within {in_seconds(seconds)}{all_left}"))


def _tokens(completion: Completion | None) -> int | None:
    if completion is None or completion.usage.unknown_tokens:
        return None
    return completion.usage.tokens


def _last(again: TryAgain, attempts: int, lost: int) -> ModelError:
    """Return the error of the last attempt, with the number of attempts."""
    details = [f"after {attempts} attempt{'s' if attempts > 1 else ''}"]
    if again.wait:
        details.append(f"it asks to wait {in_seconds(again.wait)}")
    error = type(again.error)(f"{again.error} ({', '.join(details)})", hint=again.error.hint)
    error.charged, error.infrastructure = lost, again.error.infrastructure
    return error
