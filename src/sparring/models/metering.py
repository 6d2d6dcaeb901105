"""Every call that was made in a conversation, noted at the one place all of them pass.

The meter is a context variable because a chatbot and its model are shared by conversations that run at the same
time, each in a task of its own.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from sparring.core.errors import BadCompletion, ModelError, ModelTimeout
from sparring.core.usage import Call, Usage, call_of
from sparring.models.model import Completion, Model, Request
from sparring.models.prices import Price, unknown_price


class Payer(Protocol):
    """Who pays for the calls of a conversation: asked before each of them, and told after it what it took."""

    async def allow(self) -> None:
        """Return when a call may be made. Where it never may, whoever waits here is cancelled."""
        ...

    def pay(self, usage: Usage) -> None: ...


class Taken(NamedTuple):
    """A call: by which role, in which turn, what it consumed, and how many seconds it took, if anybody knows."""

    role: str
    turn: int
    usage: Usage
    seconds: float | None


@dataclass
class Meter:
    """The calls of a conversation; `turn` is the one under way, and `now` the time by which they are measured."""

    now: Callable[[], float] = time.perf_counter
    turn: int = 0
    taken: list[Taken] = field(default_factory=list)

    @property
    def usage(self) -> dict[str, Usage]:
        """What was consumed, by role."""
        usage: dict[str, Usage] = {}
        for each in self.taken:
            usage[each.role] = usage[each.role] + each.usage if each.role in usage else each.usage
        return dict(sorted(usage.items()))

    @property
    def cost(self) -> float:
        """The known costs, in US dollars."""
        return sum(each.usage.cost for each in self.taken)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The record of every call."""
        return tuple([call_of(each.role, each.turn, each.usage) for each in self.taken])


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)
_payer: ContextVar[Payer | None] = ContextVar("payer", default=None)


@contextmanager
def metering(now: Callable[[], float] = time.perf_counter) -> Iterator[Meter]:
    """Note the calls of metered models inside this block."""
    meter = Meter(now)
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


@contextmanager
def paid_by(payer: Payer) -> Iterator[None]:
    """Let `payer` pay for what is consumed inside this block, counted or not."""
    token = _payer.set(payer)
    try:
        yield
    finally:
        _payer.reset(token)


def consume(role: str, usage: Usage, seconds: float | None = None) -> None:
    """Note what `role` consumed; also otherwise, such as a chatbot that says what its own models took."""
    meter, payer = _meter.get(), _payer.get()
    if meter is not None:
        meter.taken.append(Taken(role, meter.turn, usage, seconds))
    if payer is not None:
        payer.pay(usage)


@dataclass(frozen=True)
class Metered:
    """A model that plays `role`, and is counted: also the calls that failed, whose tokens nobody stated if there was
    an answer at all."""

    model: Model
    role: str

    @property
    def price(self) -> Price:
        """What its calls cost, as far as anybody knows."""
        price: Price = getattr(self.model, "price", unknown_price)
        return price

    async def complete(self, request: Request) -> Completion:
        if payer := _payer.get():
            await payer.allow()
        meter = _meter.get()
        begun = meter.now() if meter else 0.0
        try:
            completion = await self.model.complete(request)
        except ModelError as error:
            unknown = max(error.charged, isinstance(error, ModelTimeout | BadCompletion))
            usage = Usage(calls=max(unknown, 1), unknown_tokens=unknown, unknown_costs=unknown)
            consume(self.role, usage, _since(meter, begun))
            raise
        consume(self.role, completion.usage, _since(meter, begun))
        return completion


def _since(meter: Meter | None, begun: float) -> float | None:
    return max(0.0, meter.now() - begun) if meter else None
