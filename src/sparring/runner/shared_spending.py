"""Spending of one process against a budget that others share: it reserves parts of it."""

import asyncio
from collections.abc import Awaitable, Callable

from sparring.core.usage import Budget
from sparring.runner.spending import BatchSpending, ConversationSpending

_PART = 0.02
"""The part of the budget that is reserved at once, if conversations need no more."""

_CONVERSATIONS = 4
"""Conversations of average use that are reserved at once."""

Amounts = tuple[float, float]
"""Cost in US dollars and tokens."""


class SharedSpending(BatchSpending):
    """Spending within the reservations that `reserve` grants from the budget of a batch.

    All processes together exceed the budget by no more than their running calls. A reservation of a process that was
    not used is missing from the budget until `close` returns it, or the batch is resumed.
    """

    def __init__(
        self,
        budget: Budget,
        reserve: Callable[[Amounts], Awaitable[Amounts]],
        give_back: Callable[[Amounts], Awaitable[None]],
    ) -> None:
        super().__init__(budget)
        self._reserve, self._give_back = reserve, give_back
        self._dry = not self.bounded
        self._asking = asyncio.Lock()
        for limit in (self.cost, self.tokens):
            limit.limit = None if limit.limit is None else 0.0

    @property
    def reason(self) -> str:
        """The reason why no conversation starts any more, without what this process alone has spent."""
        return super().reason.partition(":")[0] if self.spent in ("cost", "tokens") else super().reason

    async def admit(self) -> bool:
        while self._limit_of_next() in ("cost", "tokens") and await self._more():
            pass
        return await super().admit()

    async def wait_for_turn(self, conversation: ConversationSpending) -> None:
        while (self._is_short() or not self._may_call(conversation)) and await self._more():
            pass
        await super().wait_for_turn(conversation)

    def exhausted(self) -> bool:
        return self._dry and super().exhausted()

    async def close(self) -> None:
        """Give back what is not used."""
        unused = [max(0.0, (each.limit or each.used) - each.used) for each in (self.cost, self.tokens)]
        if any(unused):
            await self._give_back((unused[0], unused[1]))

    def _is_short(self) -> bool:
        return self.cost.exhausted or self.tokens.exhausted

    async def _more(self) -> bool:
        """Reserve more of the budget; return False if nothing is left."""
        async with self._asking:
            if self._dry:
                return False
            wanted = []
            for limit, whole in ((self.cost, self.budget.cost), (self.tokens, self.budget.tokens)):
                each = limit.by_ended / limit.conversations if limit.conversations else 0.0
                wanted.append(max((whole or 0) * _PART, each * _CONVERSATIONS))
            granted = await self._reserve((wanted[0], wanted[1]))
            for limit, more in zip((self.cost, self.tokens), granted, strict=True):
                if limit.limit is not None:
                    limit.limit += more
                    self._dry = self._dry or more <= 0
            self._changed.set()
            return not self._dry
