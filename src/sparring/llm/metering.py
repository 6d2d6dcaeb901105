"""Usage of model calls: meter of a conversation, attempts of a call, guard of a budget."""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

from sparring.core.usage import ModelCall, Usage, UsageTotal


@dataclass(slots=True, eq=False)
class CallAttempts:
    """Attempts of a call that failed and may be billed. `running` is true while another attempt is made.

    `stated` is the usage of those whose useless answers state it. `intend` stores that running attempts may be billed.
    """

    failed: int = 0
    stated: Usage = field(default_factory=Usage)
    running: bool = False
    intend: Callable[[], Awaitable[None]] | None = None

    async def begin(self) -> None:
        """Count an attempt that is about to be made; return once its intent is stored."""
        self.running = True
        if self.intend is not None:
            try:
                await self.intend()
            except BaseException:  # it is not made
                self.running = False
                raise

    @property
    def billable(self) -> int:
        """Number of attempts that may be billed if the call is cancelled now."""
        return self.failed + self.running

    def usage(self, attempts: int) -> Usage:
        """Return the usage of this number of attempts that may be billed: stated, or else unknown."""
        unknown = max(0, attempts - self.stated.calls)
        return self.stated + Usage(calls=unknown, unknown_tokens=unknown, unknown_costs=unknown)


class SpendingGuard(Protocol):
    """Guard of a conversation's budget; `running` holds the attempts of all running metered calls."""

    @property
    def running(self) -> set[CallAttempts]: ...

    @property
    def intend(self) -> Callable[[], Awaitable[None]] | None:
        """Stores the intent of the running calls before they are made, if a ledger is kept."""

    def acquire(self) -> Awaitable[None] | None:
        """Return an awaitable if the call has to wait. Cancel the caller if the budget is exhausted."""

    def record(self, usage: Usage) -> None:
        """Record the usage of a call that has ended."""

    def stop(self, reason: str) -> None:
        """Start no further conversations: all other calls would fail for this reason, too."""


class CallRecord(NamedTuple):
    """A finished call, in a form that takes little memory. `seconds` is None if its duration is unknown."""

    role: str
    turn: int
    attempts: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int
    cost: float | None
    model: str
    seconds: float | None

    @property
    def call(self) -> ModelCall:
        """The call as it is stored."""
        return ModelCall.unchecked(dict(zip(_STORED_FIELDS, self, strict=False)))


_STORED_FIELDS = tuple(ModelCall.model_fields)
"""Fields of a `Call`. They equal those of a `CallRecord` in the same order, except for `seconds`, the last one."""


@dataclass(slots=True)
class Meter:
    """Calls of a conversation and their usage by role.

    `turn` is the current turn; `now` returns seconds, by which durations are measured.
    """

    now: Callable[[], float] = time.perf_counter
    turn: int = 0
    taken: list[CallRecord] = field(default_factory=list)
    tallies: defaultdict[str, UsageTotal] = field(default_factory=partial(defaultdict, UsageTotal))

    @property
    def usage(self) -> dict[str, Usage]:
        """Usage by role."""
        return {role: tally.usage for role, tally in sorted(self.tallies.items())}

    @property
    def cost(self) -> float:
        """Known costs in US dollars."""
        return sum(tally.cost for tally in self.tallies.values())

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """All calls in the order in which they ended."""
        return tuple([each.call for each in self.taken])

    def record(self, role: str, usage: Usage, seconds: float | None, model: str = "") -> None:
        """Record a call of one or several attempts, and its model if the chatbot reports it."""
        self.tallies[role].add(usage)
        attempts = usage.calls or 1
        known = usage.unknown_tokens < attempts
        input_tokens, output_tokens = (usage.input_tokens, usage.output_tokens) if known else (None, None)
        cached, cost = usage.cached_tokens, usage.known_cost
        self.taken.append(
            CallRecord(role, self.turn, attempts, input_tokens, output_tokens, cached, cost, model, seconds)
        )
