"""How much a batch may take, and what becomes of it when that is reached."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from sparring.core.usage import Budget, Figures, Usage, UsageTotal
from sparring.llm.call_context import call_context, current_call
from sparring.llm.metering import CallAttempts
from sparring.runner.spending_limit import SpendingLimit

BudgetExhausted = Literal["", "cost", "tokens", "seconds", "conversations", "calls"]


_NOTHING = Usage()
_LOST = Usage(calls=1, unknown_tokens=1, unknown_costs=1).figures
"""A call that may have to be paid for, and of which nobody says what it took."""


class BatchSpending:
    """What a run has spent of its budget, of which `before` was spent earlier on so many `held` conversations.

    A conversation is begun if the budget would still do when this one and those under way take what others took. Where
    it will not do for all that are under way, the later ones wait at their next call until earlier ones have ended; and
    while nobody knows what one takes, all but the first wait once half of what was left is gone. Once money or tokens
    are gone, no further call is made: a conversation that is about to make one is cancelled, while one that needs none
    ends as it would have. `each` is what those held before took on average, where not all that was spent was for them.
    `given_up` is told why no model will answer any more, if that is so.
    """

    def __init__(
        self,
        budget: Budget,
        before: Usage | None = None,
        held: int = 0,
        *,
        each: tuple[float, float] | None = None,
        given_up: Callable[[str], None] | None = None,
    ) -> None:
        used = before or Usage()
        held = held if _measures(used) else 0
        cost, tokens = each or ((used.cost / held, used.tokens / held) if held else (0.0, 0.0))
        self.budget = budget
        self.bounded = budget.cost is not None or budget.tokens is not None
        self.spent: BudgetExhausted = ""
        self._given_up = ""
        self._tell = given_up
        self.cost = SpendingLimit(budget.cost, used.cost, held, cost * held)
        self.tokens = SpendingLimit(budget.tokens, used.tokens, held, tokens * held)
        self._count(used)
        self._begun = 0
        self._calls = 0
        self.asking = 0  # calls that are under way
        self.lost = Usage()  # of conversations that have ended, what came to nothing
        self._under_way: dict[ConversationSpending, None] = {}  # in the order in which they were begun
        self._changed = asyncio.Event()

    @property
    def reason(self) -> str:
        """Why nothing begins any more, in words; empty if it is not for the budget."""
        budget = self.budget
        match self.spent:
            case "cost":
                besides = self.cost.besides("price")
                return f"it may cost ${budget.cost:g}, and has cost ${self.cost.used:.4f}{besides}"
            case "tokens":
                besides = self.tokens.besides("count")
                return f"it may take {budget.tokens:,} tokens, and has taken {self.tokens.used:,.0f}{besides}"
            case "seconds":
                return f"it may take {budget.seconds:g} s"
            case "conversations":
                return f"no more than {budget.conversations:,} conversations were to be held this time"
            case "calls":
                return f"no further call will be answered: {self._given_up}"
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
    def paying(self) -> "Iterator[ConversationSpending]":
        """Pay for a conversation that the current task holds inside this block."""
        task = asyncio.current_task()
        assert task is not None
        purse = ConversationSpending(self, task)
        self._under_way[purse] = None
        try:
            with call_context(spending=purse):
                yield purse
        finally:
            del self._under_way[purse]
            self.asking -= purse.asking
            # What it began may go on, and is no business of the task's.
            purse.asking, purse.closed, purse.over = 0, True, True
            if (lost := purse.unkept).calls:
                self.lost += lost
            if self.bounded and _measures(total := purse.total):
                self.cost.ended(total.cost)
                self.tokens.ended(total.tokens)
            self._changed.set()

    def unkept(self) -> "dict[ConversationSpending, Figures]":
        """What each conversation under way has consumed of which nothing is stored, as far as it has."""
        figures = ((purse, purse.figures()) for purse in self._under_way)
        return {purse: each for purse, each in figures if any(each)}

    async def turn(self, purse: "ConversationSpending") -> None:
        """Wait until a conversation may go on: the first of those under way always may."""
        if self._may_go_on(purse):
            return
        with current_call().waiting():
            while not self._may_go_on(purse):
                self._changed.clear()
                await self._changed.wait()

    def _may_go_on(self, purse: "ConversationSpending") -> bool:
        if self.exhausted() or purse is next(iter(self._under_way), purse):
            return True
        if not self.cost.conversations and not self._calls:
            return not self.asking  # the first call says what one takes
        if not self.cost.conversations:
            under_way = self.asking / max(self._calls, 1)
            return self.cost.half_left(under_way) and self.tokens.half_left(under_way)
        return self.cost.does_for(purse, self._under_way, lambda one: one.cost) and self.tokens.does_for(
            purse, self._under_way, lambda one: one.tokens
        )

    def paid(self, usage: Usage) -> None:
        """A call was made."""
        if not self.bounded:
            return
        if not self._calls:
            self._changed.set()
        self._calls += _says(usage)
        self.cost.used += usage.cost
        self.tokens.used += usage.tokens
        self._count(usage)

    def _count(self, usage: Usage) -> None:
        calls = usage.calls if _says(usage) else 0
        self.cost.count(calls, usage.unknown_costs)
        self.tokens.count(calls, usage.unknown_tokens)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Let the time of the budget pass inside this block."""
        seconds = self.budget.seconds
        timer = asyncio.get_running_loop().call_later(seconds, self._time_is_up) if seconds else None
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()

    def _time_is_up(self) -> None:
        """Let nothing begin any more, and cancel what is under way."""
        self.spent = self.spent or "seconds"
        for purse in self._under_way:
            purse.close()
        self._changed.set()

    def give_up(self, reason: str) -> None:
        """Let nothing begin any more, since a model will answer nobody; what is under way ends as it may."""
        if not self.spent:
            self.spent, self._given_up = "calls", reason
            self._changed.set()
            if self._tell is not None:
                self._tell(reason)

    def exhausted(self) -> bool:
        """Whether no further call may be made."""
        if not self.spent and self.cost.gone:
            self.spent = "cost"
        elif not self.spent and self.tokens.gone:
            self.spent = "tokens"
        return bool(self.spent) and (self.cost.gone or self.tokens.gone)

    def _short(self) -> BudgetExhausted:
        """What another conversation would take too much of."""
        under_way = len(self._under_way)
        if self.budget.conversations is not None and self._begun >= self.budget.conversations:
            return "conversations"
        if self.cost.short(under_way):
            return "cost"
        return "tokens" if self.tokens.short(under_way) else ""


def _says(usage: Usage) -> bool:
    """Whether this says what a call takes: one that failed, and is free for that, does not."""
    return bool(usage.tokens or usage.cost)


def _measures(usage: Usage) -> bool:
    """Whether conversations that took this say what others will take."""
    return _says(usage) or not usage.calls


class ConversationSpending:
    """Pays for the calls of one conversation, which is held by `task`; so many are under way (`asking`)."""

    def __init__(self, spending: BatchSpending, task: asyncio.Task[object]) -> None:
        self.task = task
        self.closed = self.over = False
        self.asking = 0
        self.running = set[CallAttempts]()
        self._tally = UsageTotal()
        self._stored = _NOTHING
        self._keeping = False
        self._spending = spending

    @property
    def total(self) -> Usage:
        """What the conversation has consumed."""
        return self._tally.usage

    @property
    def unkept(self) -> Usage:
        """What the conversation has consumed of which nothing is stored."""
        return self.total - self._stored if self._tally.calls > self._stored.calls else _NOTHING

    def figures(self) -> Figures:
        """The same in figures, with the calls under way as if they were broken off now."""
        figures = self._tally.figures if self._stored is _NOTHING else self.unkept.figures
        lost = sum([call.billable for call in self.running])
        return tuple([figure + lost * one for figure, one in zip(figures, _LOST, strict=True)]) if lost else figures

    def stored(self, usage: Usage) -> None:
        """So much more of it is on its way into the store."""
        self._stored = usage if self._stored is _NOTHING else self._stored + usage

    def not_stored(self, usage: Usage) -> None:
        """It did not get there."""
        self._stored -= usage

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

    @property
    def cost(self) -> float:
        """US dollars of it."""
        return self._tally.cost

    @property
    def tokens(self) -> int:
        """Tokens of it, in and out."""
        return self._tally.input_tokens + self._tally.output_tokens

    def acquire(self) -> Awaitable[None] | None:
        if self._spending.bounded:
            return self._allowed()
        self._asks()
        return None

    async def _allowed(self) -> None:
        await self._spending.turn(self)
        if self._spending.exhausted():
            self.close()
            await asyncio.Event().wait()
        self._asks()

    def _asks(self) -> None:
        self.asking += 1
        self._spending.asking += 1

    def stop(self, reason: str) -> None:
        self._spending.give_up(reason)

    def record(self, usage: Usage) -> None:
        if self.asking:
            self.asking -= 1
            self._spending.asking -= 1
        elif self.over:
            self._spending.lost += usage
        self._tally.add(usage)
        self._spending.paid(usage)
