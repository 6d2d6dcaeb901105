"""What each role of a conversation consumed, counted at the one place every model call passes.

The counter is a context variable because a chatbot and its model are shared by conversations that run at the same
time, each in a task of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from sparring.core.errors import BadCompletion, ModelError, ModelTimeout
from sparring.core.usage import Usage
from sparring.models.model import Completion, Model, Request
from sparring.models.prices import Price, unknown_price


class Payer(Protocol):
    """Who pays for the calls of a conversation: asked before each of them, and told after it what it took."""

    async def allow(self) -> None:
        """Return when a call may be made. Where it never may, whoever waits here is cancelled."""
        ...

    def pay(self, usage: Usage) -> None: ...


_consumed: ContextVar[dict[str, Usage] | None] = ContextVar("consumed", default=None)
_payer: ContextVar[Payer | None] = ContextVar("payer", default=None)


@contextmanager
def metering() -> Iterator[dict[str, Usage]]:
    """Count what metered models consume inside this block, by role."""
    consumed: dict[str, Usage] = {}
    token = _consumed.set(consumed)
    try:
        yield consumed
    finally:
        _consumed.reset(token)


@contextmanager
def paid_by(payer: Payer) -> Iterator[None]:
    """Let `payer` pay for what is consumed inside this block, counted or not."""
    token = _payer.set(payer)
    try:
        yield
    finally:
        _payer.reset(token)


def consume(role: str, usage: Usage) -> None:
    """Count what `role` consumed otherwise, such as a chatbot that says what its own models took."""
    consumed, payer = _consumed.get(), _payer.get()
    if consumed is not None:
        consumed[role] = consumed[role] + usage if role in consumed else usage
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
        try:
            completion = await self.model.complete(request)
        except ModelError as error:
            unknown = max(error.charged, isinstance(error, ModelTimeout | BadCompletion))
            consume(self.role, Usage(calls=max(unknown, 1), unknown_tokens=unknown, unknown_costs=unknown))
            raise
        consume(self.role, completion.usage)
        return completion
