"""Processes that share a budget do not exceed it by more than their calls under way."""

import asyncio

import pytest

from sparring.core.usage import Budget, Usage
from sparring.runner.shared_spending import Amounts, SharedSpending

CALL = Usage(calls=1, input_tokens=10, cost=0.01)


class Pot:
    """What is left of a budget for all processes."""

    def __init__(self, budget: Budget) -> None:
        self.cost, self.tokens = budget.cost or 0.0, float(budget.tokens or 0)

    async def reserve(self, wanted: Amounts) -> Amounts:
        await asyncio.sleep(0)
        cost, tokens = min(wanted[0], self.cost), min(wanted[1], self.tokens)
        self.cost, self.tokens = self.cost - cost, self.tokens - tokens
        return cost, tokens

    async def give_back(self, unused: Amounts) -> None:
        self.cost, self.tokens = self.cost + unused[0], self.tokens + unused[1]


class Process:
    """A worker that plays conversations of ten calls, eight at once."""

    def __init__(self, budget: Budget, pot: Pot) -> None:
        self.spending = SharedSpending(budget, pot.reserve, pot.give_back)
        self.calls = self.whole = 0

    async def play(self, conversations: int) -> None:
        room = asyncio.Semaphore(8)
        running = []
        for _ in range(conversations):
            await room.acquire()
            if not await self.spending.admit():
                break
            running.append(asyncio.create_task(self._converse(room)))
        await asyncio.gather(*running, return_exceptions=True)
        await self.spending.close()

    async def _converse(self, room: asyncio.Semaphore) -> None:
        try:
            with self.spending.account() as conversation:
                for _ in range(10):
                    if turn := conversation.acquire():
                        await turn
                    await asyncio.sleep(0)
                    conversation.record(CALL)
                    self.calls += 1
                self.whole += 1
        finally:
            room.release()


@pytest.mark.parametrize("budget", [Budget(cost=1.0), Budget(tokens=1_000), Budget(cost=1.0, tokens=1_000)])
async def test_four_processes_stay_within_a_budget_of_a_hundred_calls(budget: Budget):
    pot = Pot(budget)
    processes = [Process(budget, pot) for _ in range(4)]

    async with asyncio.timeout(30):
        await asyncio.gather(*(each.play(50) for each in processes))

    assert 80 <= sum(each.calls for each in processes) <= 100 + 4 * 8


async def test_what_suffices_is_played_whole_and_the_rest_is_given_back():
    budget = Budget(cost=10.0)
    pot = Pot(budget)
    processes = [Process(budget, pot) for _ in range(4)]

    await asyncio.gather(*(each.play(5) for each in processes))

    assert [each.whole for each in processes] == [5] * 4
    assert pot.cost == pytest.approx(10.0 - 4 * 5 * 10 * 0.01)
