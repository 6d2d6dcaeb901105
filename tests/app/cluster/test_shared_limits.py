"""Limits hold across processes by the clock and the rows of a real PostgreSQL."""

import asyncio
from contextlib import AsyncExitStack

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from sparring.core.usage import Budget, RateLimit
from sparring.llm.client.leased_rate_limiter import BLOCK_SECONDS, LeasedRateLimiter
from sparring.store.postgres.store import PostgresStore

pytestmark = pytest.mark.slow


async def limiters(stack: AsyncExitStack, url: str, limit: RateLimit, *names: str) -> list[LeasedRateLimiter]:
    """Return a limiter for each name, on a connection of its own as in another process."""
    made = []
    for name in names:
        store = await stack.enter_async_context(PostgresStore(url))
        made.append(LeasedRateLimiter(limit, store.lease, store.block, name=name))
    return made


async def call(limiter: LeasedRateLimiter, number: int, tokens: int = 0) -> None:
    for _ in range(number):
        limiter.leave(await limiter.enter(tokens), tokens=tokens, good=True)


@pytest.mark.parametrize(
    ("limit", "tokens", "most_per_second"),
    [(RateLimit(requests_per_minute=6_000), 0, 100), (RateLimit(tokens_per_minute=60_000), 10, 100)],
)
async def test_four_processes_make_no_more_calls_than_one_may(
    postgres_url: str, limit: RateLimit, tokens: int, most_per_second: int
):
    async with AsyncExitStack() as stack:
        four = await limiters(stack, postgres_url, limit, *["shared"] * 4)
        clock = await stack.enter_async_context(PostgresStore(postgres_url))
        begun = await clock.retry_at("", 0, 0)  # by the clock of the database, which refills the limit
        await asyncio.gather(*(call(each, 20, tokens) for each in four))
        passed = (await clock.retry_at("", 0, 0) - begun).total_seconds()

    assert most_per_second * (passed + BLOCK_SECONDS) + 1 >= 4 * 20


async def test_a_pause_is_a_pause_of_all_processes_and_of_no_other_model(postgres_url: str):
    async with AsyncExitStack() as stack:
        names = ("paused", "paused", "other")
        one, same, other = await limiters(stack, postgres_url, RateLimit(requests_per_minute=60_000), *names)
        one.leave(await one.enter(), good=True)
        one.pause(60)
        await asyncio.gather(*one._blocking)
        paused = asyncio.create_task(call(same, 1))

        await call(other, 10)  # each may be a round to the database
        assert not paused.done()
        paused.cancel()


async def test_batches_with_budgets_take_each_from_its_own(postgres_url: str):
    from app.cluster.test_cluster import plan, submitted

    budget = Budget(cost=1.0, tokens=100)
    async with PostgresStore(postgres_url) as store:
        one, other = [(await submitted(store, plan(1, 1))).id for _ in range(2)]
        taken = await asyncio.gather(*(store.reserve(one, budget, (0.3, 30.0)) for _ in range(5)))

        assert sum(cost for cost, _ in taken) == pytest.approx(1.0)
        assert sum(tokens for _, tokens in taken) == pytest.approx(100)
        assert await store.reserve(other, budget, (0.3, 30.0)) == (0.3, 30.0)
        await store.give_back(one, (0.2, 10.0))
        assert await store.reserve(one, budget, (0.3, 30.0)) == pytest.approx((0.2, 10.0))
