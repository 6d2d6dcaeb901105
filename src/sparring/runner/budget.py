"""How much a batch may take, and what becomes of it when that is reached."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from pydantic import PositiveFloat, PositiveInt

from sparring.core.usage import Tally, Usage
from sparring.core.value import Value
from sparring.models.metering import paid_by

_ROUNDING = 1 + 1e-9  # three times 0.1 is not beyond 0.3

Spent = Literal["", "cost", "tokens", "seconds", "conversations"]


class Budget(Value):
    """The most that a batch may take; what is left out is not limited.

    `cost` (US dollars) and `tokens` are those of the whole batch, with what was consumed for it before. `seconds` and
    `conversations` are those of one run of it.
    """

    cost: PositiveFloat | None = None
    tokens: PositiveInt | None = None
    seconds: PositiveFloat | None = None
    conversations: PositiveInt | None = None


class Spending:
    """What a run has spent of its budget, of which `before` was spent earlier on so many `held` conversations.

    A conversation is begun if the budget would still do when this one and those under way take what others took. Once
    money or tokens are gone, no further call is made: a conversation that is about to make one is cancelled, while one
    that needs none ends as it would have.
    """

    def __init__(self, budget: Budget, before: Usage | None = None, held: int = 0) -> None:
        used = before or Usage()
        self.budget = budget
        self.spent: Spent = ""
        self.cost = _Amount(budget.cost, used.cost, held)
        self.tokens = _Amount(budget.tokens, _tokens(used), held)
        self._begun = 0
        self._under_way: set[Purse] = set()
        self._changed = asyncio.Event()

    @property
    def reason(self) -> str:
        """Why nothing begins any more, in words; empty if it is not for the budget."""
        budget = self.budget
        match self.spent:
            case "cost":
                return f"it may cost ${budget.cost:g}, and has cost ${self.cost.used:.4f}"
            case "tokens":
                return f"it may take {budget.tokens:,} tokens, and has taken {self.tokens.used:,.0f}"
            case "seconds":
                return f"it may take {budget.seconds:g} s"
            case "conversations":
                return f"no more than {budget.conversations:,} conversations were to be held this time"
        return ""

    async def admit(self) -> bool:
        """Whether another conversation may begin; waits where that depends on those under way."""
        while not self.spent:
            short = self._short()
            if not short:
                self._begun += 1
                return True
            if not self._under_way:
                self.spent = short
                break
            self._changed.clear()
            await self._changed.wait()
        return False

    @contextmanager
    def paying(self) -> "Iterator[Purse]":
        """Pay for a conversation that the current task holds inside this block."""
        task = asyncio.current_task()
        assert task is not None
        purse = Purse(self, task)
        self._under_way.add(purse)
        try:
            with paid_by(purse):
                yield purse
        finally:
            self._under_way.remove(purse)
            total = purse.total
            self.cost.ended(total.cost)
            self.tokens.ended(_tokens(total))
            self._changed.set()

    def time_is_up(self) -> None:
        """Let nothing begin any more, and cancel what is under way."""
        self.spent = self.spent or "seconds"
        for purse in self._under_way:
            purse.close()
        self._changed.set()

    def exhausted(self) -> bool:
        """Whether no further call may be made."""
        if not self.spent and self.cost.gone:
            self.spent = "cost"
        elif not self.spent and self.tokens.gone:
            self.spent = "tokens"
        return bool(self.spent) and (self.cost.gone or self.tokens.gone)

    def _short(self) -> Spent:
        """What another conversation would take too much of."""
        under_way = len(self._under_way)
        if self.budget.conversations is not None and self._begun >= self.budget.conversations:
            return "conversations"
        if self.cost.short(under_way):
            return "cost"
        return "tokens" if self.tokens.short(under_way) else ""


@dataclass
class _Amount:
    """Something of which there may be a limit: what all conversations used, and what those that ended did."""

    limit: float | None
    used: float
    conversations: int
    by_ended: float = field(init=False)

    def __post_init__(self) -> None:
        self.by_ended = self.used

    @property
    def gone(self) -> bool:
        return self.limit is not None and self.used * _ROUNDING >= self.limit

    def short(self, under_way: int) -> bool:
        """Whether there is not enough for those under way and another, if they take what others took."""
        if self.limit is None or self.gone:
            return self.gone
        each = self.by_ended / self.conversations if self.conversations else 0.0
        return max(self.used, self.by_ended + under_way * each) + each > self.limit * _ROUNDING

    def ended(self, used: float) -> None:
        """A conversation has ended, and its use, counted before, is one to go by."""
        self.by_ended += used
        self.conversations += 1


class Purse:
    """Pays for the calls of one conversation, which is held by `task`."""

    def __init__(self, spending: Spending, task: asyncio.Task[object]) -> None:
        self.task = task
        self.closed = False
        self._tally = Tally()
        self._keeping = False
        self._spending = spending

    @property
    def total(self) -> Usage:
        """What the conversation has consumed."""
        return self._tally.usage

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """What is done inside this block is done to its end, also when the purse is closed."""
        self._keeping = True
        try:
            yield
        finally:
            self._keeping = False

    def close(self) -> None:
        """Cancel the conversation."""
        if not self.closed:
            self.closed = True
            if not self._keeping:
                self.task.cancel()

    async def allow(self) -> None:
        if self._spending.exhausted():
            self.close()
            await asyncio.Event().wait()

    def pay(self, usage: Usage) -> None:
        self._tally.add(usage)
        self._spending.cost.used += usage.cost
        self._spending.tokens.used += _tokens(usage)


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
