"""Deadlines of calls and the clock of a conversation, which stops while a call waits for its turn.

Waiting for a rate limit or a pause of a provider does not count against the timeouts of user and chatbot.
"""

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self


class Deadline:
    """A deadline for the code inside `with`.

    It cancels like `asyncio.timeout` but has no timer of its own: thousands of calls a second start and end, and few of
    them are late.
    """

    __slots__ = ("_cancelling", "_task", "_timer", "expired", "when")

    def __init__(self, timer: "Timer", when: float) -> None:
        self.when = when
        self.expired = False
        self._timer = timer

    def __enter__(self) -> "Deadline":
        timer = self._timer
        task = asyncio.current_task(timer.loop)
        assert task is not None
        self._task, self._cancelling = task, task.cancelling()
        timer.watch(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.forget(self)
        if self.expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        self.expired = True
        self._task.cancel()


class Timer:
    """One timer for several deadlines.

    It fires at the earliest known deadline and then looks for the next one, since most have been met by then. Unless it
    is `kept`, it stops with its last deadline.
    """

    def __init__(self, *, kept: bool = False) -> None:
        self._kept = kept
        self.loop = asyncio.get_running_loop()
        self._watched: list[Deadline] = []
        self._handle: asyncio.TimerHandle | None = None
        self._due = math.inf

    def within(self, seconds: float) -> Deadline:
        """Return a deadline in this many seconds; infinity means none."""
        return Deadline(self, self.loop.time() + seconds)

    def watch(self, deadline: Deadline) -> None:
        """Add a deadline."""
        self._watched.append(deadline)
        if deadline.when < self._due:
            self._set(deadline.when)

    def hurry(self, deadline: Deadline) -> None:
        """Reschedule for a deadline that has moved."""
        if deadline.when < self._due and deadline in self._watched:
            self._set(deadline.when)

    def forget(self, deadline: Deadline) -> None:
        """Remove a deadline."""
        self._watched.remove(deadline)
        if not self._kept and not self._watched:
            self.stop()

    def stop(self) -> None:
        """Cancel the timer."""
        if self._handle is not None:
            self._handle.cancel()

    def _set(self, due: float) -> None:
        self.stop()
        self._due = due
        self._handle = self.loop.call_at(due, self._look)

    def _look(self) -> None:
        now = self.loop.time() + _PRECISION
        for each in self._watched:
            if each.when <= now and not each.expired:
                each.expire()
        self._due = math.inf
        due = min((each.when for each in self._watched if not each.expired), default=math.inf)
        if due < math.inf:
            self._set(due)


_PRECISION = 0.001
"""Seconds by which an event loop may fire too early."""


MAX_RETRY_AFTER = 600.0
"""Seconds in all for which a conversation without a time limit waits for the rate limit of its chatbot."""


class ConversationClock:
    """Waiting time and retries of the calls of one conversation.

    `deadline` is suspended while a call waits. `retrying` is True while failed attempts of a call are repeated, and
    `unanswered` is the number of seconds for which the last cancelled call of a model had no answer.
    `wait_left` is the number of seconds that a chatbot may still ask the user to wait. `streamed` is how long its last
    reply went on after its first token, None if it was no stream.
    """

    def __init__(self) -> None:
        self.waited = 0.0
        self.retries = 0
        self.retrying = False
        self.unanswered = 0.0
        self.wait_left = MAX_RETRY_AFTER
        self.streamed: float | None = None
        self.deadline: Deadline | None = None
        self.timer = Timer(kept=True)
        self._waiting = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.timer.stop()

    def first_token(self, took: float) -> float | None:
        """Return the seconds to the first token of the last reply, which `took` some, and forget its stream."""
        streamed, self.streamed = self.streamed, None
        return None if streamed is None else max(0.0, took - streamed)

    def talking(self) -> float:
        """Return the time, without the time that calls waited for their turn."""
        return self.timer.loop.time() - self.waited

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Suspend the deadline while a call waits. Time of simultaneous waits counts once."""
        self._waiting += 1
        if self._waiting > 1:
            try:
                yield
            finally:
                self._waiting -= 1
            return
        time = asyncio.get_running_loop().time
        begun, deadline = time(), self.deadline
        when = deadline.when if deadline is not None and not deadline.expired else math.inf
        if deadline is not None and when < math.inf:
            deadline.when = math.inf
        try:
            yield
        finally:
            self._waiting -= 1
            waited = time() - begun
            self.waited += waited
            if deadline is not None and when < math.inf and deadline is self.deadline:
                deadline.when = when + waited
                self.timer.hurry(deadline)
