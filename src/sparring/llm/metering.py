"""Every call that was made in a conversation, noted at the one place all of them pass.

The meter is a context variable because a chatbot and its model are shared by conversations that run at the same
time, each in a task of its own.

Calls that do not come to their end: a cancellation says what they may have to be paid for, and whoever cannot wait
for that, since a program that is killed says nothing, looks at those under way.
"""

import asyncio
import time
from asyncio import CancelledError
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

from sparring.core.errors import BadCompletion, ModelError, ModelTimeout
from sparring.core.usage import Call, Tally, Usage
from sparring.llm.call_context import Ambient, Holding, here
from sparring.llm.model import Completion, Model, Request
from sparring.llm.pricing import Price, price_by


@dataclass(slots=True, eq=False)
class CallAttempts:
    """The attempts at a call that were of no use and may have to be paid for, and whether another is under way."""

    attempts: int = 0
    under_way: bool = False

    @property
    def charged(self) -> int:
        """How many attempts may have to be paid for if the call is broken off now."""
        return self.attempts + self.under_way

    def said_by(self, error: CancelledError) -> None:
        """Let a cancellation say it, to whoever it passes."""
        error.args = (self,)


def lost_by(error: CancelledError) -> int:
    """How many attempts a cancelled call may have to be paid for, as far as anybody said."""
    return sum(each.charged for each in error.args if isinstance(each, CallAttempts))


_watched = Ambient[set[CallAttempts]]("watched")


def watching(calls: set[CallAttempts]) -> Holding[set[CallAttempts]]:
    """Have the calls of this block in `calls` while they are under way."""
    return _watched.holding(calls)


def watched() -> set[CallAttempts]:
    """Where a call has to be while it is under way."""
    calls = _watched.get()
    return set() if calls is None else calls


class SpendingGuard(Protocol):
    """Who pays for the calls of a conversation: asked before each of them, and told after it what it took."""

    def allow(self) -> Awaitable[None] | None:
        """What to wait for before a call may be made, if it may not at once. Where it never may, whoever waits is
        cancelled."""
        ...

    def pay(self, usage: Usage) -> None: ...

    def give_up(self, reason: str) -> None:
        """Hear that further calls will come to nothing, and why."""
        ...


class CallRecord(NamedTuple):
    """A call, in the little that is held of it while a conversation lasts: what it was, and how many seconds it took,
    if anybody knows."""

    role: str
    turn: int
    attempts: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int
    cost: float | None
    seconds: float | None

    @property
    def call(self) -> Call:
        """The record of it."""
        return Call.unchecked(dict(zip(_OF_CALLS, self, strict=False)))


_OF_CALLS = tuple(Call.model_fields)
"""What is recorded of a call: all that is taken of it, in the same order, but for the seconds, which come last."""


@dataclass(slots=True)
class Meter:
    """The calls of a conversation, and what they consumed by role; `turn` is the one under way, and `now` the time by
    which they are measured."""

    now: Callable[[], float] = time.perf_counter
    turn: int = 0
    taken: list[CallRecord] = field(default_factory=list)
    tallies: defaultdict[str, Tally] = field(default_factory=partial(defaultdict, Tally))

    @property
    def usage(self) -> dict[str, Usage]:
        """What was consumed, by role."""
        return {role: tally.usage for role, tally in sorted(self.tallies.items())}

    @property
    def cost(self) -> float:
        """The known costs, in US dollars."""
        return sum(tally.cost for tally in self.tallies.values())

    @property
    def calls(self) -> tuple[Call, ...]:
        """The record of every call."""
        return tuple([each.call for each in self.taken])

    def note(self, role: str, usage: Usage, seconds: float | None) -> None:
        """Note a call, which may have taken several attempts."""
        self.tallies[role].add(usage)
        attempts = usage.calls or 1
        stated = usage.unknown_tokens < attempts
        asked, answered = (usage.input_tokens, usage.output_tokens) if stated else (None, None)
        cached, cost = usage.cached_tokens, usage.known_cost
        self.taken.append(CallRecord(role, self.turn, attempts, asked, answered, cached, cost, seconds))


_meter = Ambient[Meter]("meter")
_payer = Ambient[SpendingGuard]("payer")


def metering(now: Callable[[], float] = time.perf_counter) -> Holding[Meter]:
    """Note the calls of metered models inside this block."""
    return _meter.holding(Meter(now))


def paid_by(payer: SpendingGuard) -> Holding[SpendingGuard]:
    """Let `payer` pay for what is consumed inside this block, counted or not."""
    return _payer.holding(payer)


def record_usage(role: str, usage: Usage, seconds: float | None = None) -> None:
    """Note what `role` consumed; also otherwise, such as a chatbot that says what its own models took."""
    meter, payer = _meter.get(), _payer.get()
    if meter is not None:
        meter.note(role, usage, seconds)
    if payer is not None:
        payer.pay(usage)


@dataclass(frozen=True)
class Metered:
    """A model that plays `role`, and is counted: also the calls that failed, or were broken off, whose tokens nobody
    stated if there was an answer at all."""

    model: Model
    role: str

    @property
    def price(self) -> Price:
        """What its calls cost, as far as anybody knows."""
        return price_by(self.model)

    async def complete(self, request: Request) -> Completion:
        if (payer := _payer.get()) and (allowed := payer.allow()):
            await allowed
        meter = _meter.get()
        begun = meter.now() if meter else 0.0
        try:
            completion = await self.model.complete(request)
        except asyncio.CancelledError as error:
            if lost := lost_by(error):
                record_usage(self.role, _unknown(lost), _since(meter, begun))
            raise
        except ModelError as error:
            unknown = max(error.charged, isinstance(error, ModelTimeout | BadCompletion))
            if error.made:
                record_usage(self.role, _unknown(unknown), _since(meter, begun))
            elif payer:
                payer.pay(Usage())
            if payer and error.pointless:
                payer.give_up(error.told)
            raise
        record_usage(self.role, completion.usage, _since(meter, begun))
        if completion.stopped:
            what = f"cut off in what it said ({completion.stopped})"
            here().remark(f"the model of the {self.role} was {what}: some of it is missing")
        return completion


def _unknown(attempts: int) -> Usage:
    """A call of which so many attempts may have to be paid for, and nobody said what they took."""
    return Usage(calls=max(attempts, 1), unknown_tokens=attempts, unknown_costs=attempts)


def _since(meter: Meter | None, begun: float) -> float | None:
    return max(0.0, meter.now() - begun) if meter else None
