"""Context of a model call: its conversation, and what counts, limits and observes its calls.

This is the only context variable of the library. A chatbot and its model are shared by conversations that run at the
same time, so neither of them can hold the context. Tasks inherit a reference to the context they were created in.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from types import TracebackType
from typing import TypedDict, Unpack

from sparring.core.events import CallRetried, ModelPaused
from sparring.core.usage import Usage
from sparring.llm.deadlines import ConversationClock, Deadline, Timer
from sparring.llm.metering import CallAttempts, Meter, SpendingGuard
from sparring.llm.slots import HeldSlot

CallEvent = CallRetried | ModelPaused
"""Events of a call that are reported while it runs."""


@dataclass(slots=True)
class ReplayPosition:
    """Position of a conversation in a recording.

    `turn` is the number of messages by the user so far. `diverged` describes the first request that differs from the
    recorded one.
    """

    turn: int = 0
    diverged: str = ""
    _calls: dict[str, int] = field(default_factory=dict)

    def next_call(self, role: str) -> int:
        """Count a call by `role` and return its number, starting at 1."""
        self._calls[role] = number = self._calls.get(role, 0) + 1
        return number


@dataclass(slots=True)
class CallContext:
    """The conversation on whose behalf a model is called.

    `spending` may delay or refuse calls. `cache_writes` holds back writes to the cache until the answers were
    understood. `warnings` become warnings of the conversation. `attempts` belongs to the metered call that is running.
    `traceparent` returns the header with which a request of a turn is traced. `slot` is lent to another conversation
    while a call waits after a refusal.
    """

    conversation: str = ""
    meter: Meter | None = None
    spending: SpendingGuard | None = None
    clock: ConversationClock | None = None
    on_event: Callable[[CallEvent], None] | None = None
    cache_writes: list[Callable[[], None]] | None = None
    replay: ReplayPosition = field(default_factory=ReplayPosition)
    warnings: list[str] = field(default_factory=list)
    attempts: CallAttempts | None = None
    traceparent: Callable[[int], str] | None = None
    slot: HeldSlot | None = None

    def warn(self, warning: str) -> None:
        """Add a warning to the conversation, once."""
        if warning not in self.warnings:
            self.warnings.append(warning)

    def emit(self, event: CallEvent) -> None:
        """Report an event of the call that is running."""
        if self.on_event is not None:
            self.on_event(event)

    def record_usage(self, role: str, usage: Usage, seconds: float | None = None, model: str = "") -> None:
        """Record usage of `role`, such as that of a metered model or the usage a chatbot reports."""
        if self.meter is not None:
            self.meter.record(role, usage, seconds, model)
        if self.spending is not None:
            self.spending.record(usage)

    def write_or_defer(self, write: Callable[[], None]) -> None:
        """Write to the cache now, or hold the write back until `commit_cache_writes`."""
        if self.cache_writes is None:
            write()
        else:
            self.cache_writes.append(write)

    def commit_cache_writes(self) -> None:
        """Perform the deferred writes, once the answers were understood."""
        for write in self.cache_writes or ():
            write()
        if self.cache_writes is not None:
            self.cache_writes.clear()

    def within(self, seconds: float) -> Deadline:
        """Return a deadline for a call; all calls of a conversation share one timer."""
        return (Timer() if self.clock is None else self.clock.timer).within(seconds)

    def waiting(self) -> AbstractContextManager[None]:
        """Stop the clock of the conversation inside this block, while a call waits for its turn."""
        return nullcontext() if self.clock is None else self.clock.waiting()

    def lending(self) -> AbstractAsyncContextManager[None]:
        """Lend the slot of the conversation inside this block, and wait for a slot at its end."""
        return nullcontext() if self.slot is None else self.slot.lent()

    def record_retry(self) -> None:
        """Count another attempt of a call."""
        if self.clock is not None:
            self.clock.retries += 1
            self.clock.retrying = True

    def record_recovery(self) -> None:
        """Note that a call was answered."""
        if self.clock is not None:
            self.clock.retrying = False


class ContextChanges(TypedDict, total=False):
    """Fields of a `CallContext` that a block changes."""

    conversation: str
    meter: Meter | None
    spending: SpendingGuard | None
    clock: ConversationClock | None
    on_event: Callable[[CallEvent], None] | None
    cache_writes: list[Callable[[], None]] | None
    attempts: CallAttempts | None
    traceparent: Callable[[int], str] | None
    slot: HeldSlot | None


_context: ContextVar[CallContext | None] = ContextVar("call_context", default=None)


def current_call() -> CallContext:
    """Return the context of the current call, an empty one outside of every block."""
    return _context.get() or CallContext()


class _Block:
    """A block with a changed context; a generator would need five times the memory."""

    __slots__ = ("_attempts", "_changes", "_token")

    def __init__(self, changes: ContextChanges | None, attempts: CallAttempts | None = None) -> None:
        self._changes = changes
        self._attempts = attempts

    def __enter__(self) -> CallContext:
        outer, changes = _context.get(), self._changes
        if outer is None:
            inner = CallContext(attempts=self._attempts)
        else:
            inner = CallContext(
                outer.conversation,
                outer.meter,
                outer.spending,
                outer.clock,
                outer.on_event,
                outer.cache_writes,
                outer.replay,
                outer.warnings,
                self._attempts or outer.attempts,
                outer.traceparent,
                outer.slot,
            )
        if changes is not None:
            if "conversation" in changes:
                inner.replay, inner.warnings = ReplayPosition(), []
            for name, value in changes.items():
                setattr(inner, name, value)
        self._token: Token[CallContext | None] = _context.set(inner)
        return inner

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _context.reset(self._token)


def metered_call(attempts: CallAttempts) -> AbstractContextManager[CallContext]:
    """Set the attempts of the current context inside a block, faster than `call_context`."""
    return _Block(None, attempts)


def call_context(**changes: Unpack[ContextChanges]) -> AbstractContextManager[CallContext]:
    """Change fields of the current context inside a block.

    Naming a `conversation` starts its replay position and its warnings afresh; all other fields are inherited.
    """
    return _Block(changes)
