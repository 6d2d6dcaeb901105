"""Spending of a batch and its conversations within a budget: cost, tokens, seconds, conversations."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from sparring.core.usage import Budget, Usage, UsageTotal
from sparring.llm.call_context import call_context, current_call
from sparring.llm.metering import CallAttempts
from sparring.runner.spending_limit import SpendingLimit

BudgetExhausted = Literal["", "cost", "tokens", "seconds", "conversations", "calls", "chatbot"]
_OF_ONE_RUN: tuple[BudgetExhausted, ...] = ("seconds", "conversations")
"""Limits that are counted for one run."""


class BatchSpending:
    """Spending of a batch against its budget; `before` was spent on `earlier` conversations.

    A conversation starts if the budget suffices for it and for all running ones at average use. If it does not suffice
    for all running ones, the later ones wait at their next call until earlier ones end. Before the first conversation
    ends, the average is unknown: all but the first wait once half of the budget is used.

    Once cost or tokens are exhausted, no call is made: a conversation that would make one is cancelled, and one that
    needs none ends normally. `each` is the average (cost, tokens) of earlier conversations, if `before` includes other
    spending. `given_up` is called with the reason when no model answers any more.
    """

    def __init__(
        self,
        budget: Budget,
        before: Usage | None = None,
        earlier: int = 0,
        *,
        each: tuple[float, float] | None = None,
        given_up: Callable[[str], None] | None = None,
    ) -> None:
        used = before or Usage()
        earlier = earlier if _reports_usage(used) else 0
        cost, tokens = each or ((used.cost / earlier, used.tokens / earlier) if earlier else (0.0, 0.0))
        self.budget = budget
        self.bounded = budget.cost is not None or budget.tokens is not None
        self.spent: BudgetExhausted = ""
        self._given_up = ""
        self._on_given_up = given_up
        self.cost = SpendingLimit(budget.cost, used.cost, earlier, cost * earlier)
        self.tokens = SpendingLimit(budget.tokens, used.tokens, earlier, tokens * earlier)
        self._count(used)
        self._begun = 0
        self._calls = 0
        self.asking = 0  # running calls
        self.unkept = UsageTotal()  # of ended calls, not stored with a conversation or a verdict
        self.running = set[CallAttempts]()
        self.intend: Callable[[], Awaitable[None]] | None = None  # the usage ledger, while one is kept
        self._running: dict[ConversationSpending, None] = {}  # in the order in which they began
        self._changed = asyncio.Event()

    @property
    def reason(self) -> str:
        """The reason why no conversation starts any more; empty if the budget is not it."""
        budget = self.budget
        match self.spent:
            case "cost":
                uncounted = self.cost.uncounted("price")
                return f"cost limit of ${budget.cost:g} reached: ${self.cost.used:.4f} spent{uncounted}"
            case "tokens":
                uncounted = self.tokens.uncounted("count")
                return f"limit of {budget.tokens:,} tokens reached: {self.tokens.used:,.0f} used{uncounted}"
            case "seconds":
                return f"time limit of {budget.seconds:g} s reached"
            case "conversations":
                return f"limit of {budget.conversations:,} conversations reached"
            case "calls":
                return f"the model answers no further call: {self._given_up}"
            case "chatbot":
                return self._given_up
        return ""

    async def admit(self) -> bool:
        """Return True if another conversation may start. Wait while that depends on running ones."""
        while not self.spent:
            limit = self._limit_of_next()
            if not limit:
                self._begun += 1
                return True
            if not self._running:
                self.spent = limit
                break
            self._changed.clear()
            await self._changed.wait()
        return False

    @contextmanager
    def account(self) -> "Iterator[ConversationSpending]":
        """Account for the conversation that the current task runs inside this block."""
        task = asyncio.current_task()
        assert task is not None
        conversation = ConversationSpending(self, task)
        self._running[conversation] = None
        try:
            with call_context(spending=conversation):
                yield conversation
        finally:
            del self._running[conversation]
            self.asking -= conversation.asking
            # Calls that outlive the task no longer belong to it.
            conversation.asking, conversation.closed = 0, True
            total = conversation.total
            if self.bounded and (_reports_usage(total) or not (total.calls or conversation.was_refused)):
                self.cost.ended(total.cost)
                self.tokens.ended(total.tokens)
            self._changed.set()

    async def wait_for_turn(self, conversation: "ConversationSpending") -> None:
        """Wait until the budget lets a conversation make a call. The first running one never waits."""
        if self._may_call(conversation):
            return
        with current_call().waiting():
            while not self._may_call(conversation):
                self._changed.clear()
                await self._changed.wait()

    def _may_call(self, conversation: "ConversationSpending") -> bool:
        if self.exhausted() or conversation is next(iter(self._running), conversation):
            return True
        if not self.cost.conversations and not self._calls:
            return not self.asking  # the first call shows what a call uses
        if not self.cost.conversations:
            running = self.asking / max(self._calls, 1)
            return self.cost.leaves_half(running) and self.tokens.leaves_half(running)
        return self.cost.suffices_for(conversation, self._running, lambda one: one.cost) and self.tokens.suffices_for(
            conversation, self._running, lambda one: one.tokens
        )

    def add(self, usage: Usage) -> None:
        """Add the usage of a call."""
        if not self.bounded:
            return
        if not self._calls:
            self._changed.set()
        self._calls += _reports_usage(usage)
        self.cost.used += usage.cost
        self.tokens.used += usage.tokens
        self._count(usage)

    def _count(self, usage: Usage) -> None:
        calls = usage.calls if _reports_usage(usage) else 0
        self.cost.count(calls, usage.unknown_costs)
        self.tokens.count(calls, usage.unknown_tokens)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Enforce the time limit inside this block."""
        seconds = self.budget.seconds
        timer = asyncio.get_running_loop().call_later(seconds, self._time_is_up) if seconds else None
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()

    def _time_is_up(self) -> None:
        """Start nothing more, and cancel the running conversations."""
        self.spent = self.spent or "seconds"
        for conversation in self._running:
            conversation.close()
        self._changed.set()

    def lose_chatbot(self, reason: str, at_once: bool) -> None:
        """Start nothing more: the chatbot cannot be reached. `at_once` cancels running conversations."""
        if not self.spent:
            self.spent, self._given_up = "chatbot", reason
            self._changed.set()
        for conversation in self._running if at_once else ():
            conversation.close()

    def give_up(self, reason: str) -> None:
        """Start nothing more, because a model answers no call. Running conversations end on their own."""
        if not self.spent:
            self.spent, self._given_up = "calls", reason
            self._changed.set()
            if self._on_given_up is not None:
                self._on_given_up(reason)

    def exhausted(self) -> bool:
        """Return True if no further call may be made."""
        if not self.spent and self.cost.exhausted:
            self.spent = "cost"
        elif not self.spent and self.tokens.exhausted:
            self.spent = "tokens"
        return bool(self.spent) and (self.cost.exhausted or self.tokens.exhausted)

    def _limit_of_next(self) -> BudgetExhausted:
        """Return the limit that another conversation would exceed, or an empty string."""
        running = len(self._running)
        if self.budget.conversations is not None and self._begun >= self.budget.conversations:
            return "conversations"
        if self.cost.too_small_for(running):
            return "cost"
        return "tokens" if self.tokens.too_small_for(running) else ""


def _reports_usage(usage: Usage) -> bool:
    """Return True unless the usage is that of a failed, unbilled call."""
    return bool(usage.tokens or usage.cost)


class ConversationSpending:
    """Spending of one conversation, which `task` runs. `asking` counts its running calls.

    It says nothing about the spending of others if a call `was_refused`.
    """

    def __init__(self, spending: BatchSpending, task: asyncio.Task[object]) -> None:
        self.task = task
        self.closed = self.was_refused = False
        self.asking = 0
        self._tally = UsageTotal()
        self._shielded = False
        self._spending = spending

    @property
    def total(self) -> Usage:
        """Usage of the conversation."""
        return self._tally.usage

    @property
    def running(self) -> set[CallAttempts]:
        return self._spending.running

    @property
    def intend(self) -> Callable[[], Awaitable[None]] | None:
        return self._spending.intend

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Finish this block even if the conversation is closed meanwhile."""
        self._shielded = True
        try:
            yield
        finally:
            self._shielded = False

    def close(self) -> None:
        """Cancel the conversation."""
        if not self.closed:
            self.closed = True
            if not self._shielded:
                self.task.cancel()

    @property
    def cost(self) -> float:
        """Cost in US dollars."""
        return self._tally.cost

    @property
    def tokens(self) -> int:
        """Input and output tokens."""
        return self._tally.input_tokens + self._tally.output_tokens

    def acquire(self) -> Awaitable[None] | None:
        if self._spending.bounded:
            return self._allowed()
        self._asks()
        return None

    async def _allowed(self) -> None:
        await self._spending.wait_for_turn(self)
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
        self.was_refused |= not (usage.calls or usage.from_cache)
        self._tally.add(usage)
        self._spending.unkept.add(usage)
        self._spending.add(usage)


def named_limit(reason: str, left: Budget, given: Budget) -> str:
    """Return why a batch stopped, naming the configured limit instead of what was left of it."""
    for limit in _OF_ONE_RUN:
        remaining, requested = BatchSpending(left), BatchSpending(given)
        remaining.spent = requested.spent = limit
        if getattr(left, limit) is not None and reason == remaining.reason:
            return requested.reason
    return reason
