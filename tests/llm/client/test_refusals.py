"""The time that 100 calls take where a model refuses some of them, or all for a while, in virtual time."""

import asyncio
import re
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest

from sparring.core.errors import ModelUnavailable
from sparring.core.events import ModelPaused
from sparring.core.usage import RateLimit
from sparring.llm.call_context import CallEvent, call_context
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Retries, TryAgain
from sparring.llm.model import Completion
from sparring.llm.slots import ConversationSlots

pytestmark = pytest.mark.usefixtures("virtual_time")
ANSWER = Completion("answer")
AT_ONCE, CALLS, TURNS = 10, 100, 10


class LoopClock:
    """A clock that shows the time of the event loop."""

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


class Provider:
    """Answers after 100 ms, refuses where `refuses` says so, and counts the requests of the last minute."""

    def __init__(self, refuses: Callable[[float], bool], wait: float | None = None) -> None:
        self.refuses, self.wait = refuses, wait
        self.begun = asyncio.get_running_loop().time()
        self.minute: deque[float] = deque()
        self.most = self.calls = self.at_once = self.peak = 0

    async def __call__(self) -> Completion:
        now = asyncio.get_running_loop().time() - self.begun
        self.calls += 1
        self.minute.append(now)
        while now - self.minute[0] >= 60:
            self.minute.popleft()
        self.most = max(self.most, len(self.minute))
        self.at_once += 1
        self.peak = max(self.peak, self.at_once)
        await asyncio.sleep(0.1)
        self.at_once -= 1
        if self.refuses(now):
            raise TryAgain(ModelUnavailable("slow down"), status=429, wait=self.wait)
        return ANSWER


async def seconds(provider: Provider, limit: RateLimit | None = None) -> tuple[float, list[CallEvent]]:
    """Return the seconds that conversations of ten calls take, ten at a time, and their events."""
    loop, told = asyncio.get_running_loop(), list[CallEvent]()
    limiter = RateLimiter(limit, now=loop.time)
    retries, slots = Retries(LoopClock(), Random(7), limiter=limiter), ConversationSlots(AT_ONCE)

    async def talk() -> None:
        async with slots.hold() as slot:
            with call_context(slot=slot):
                for _ in range(TURNS):
                    await retries.run(provider)

    begun = loop.time()
    with call_context(on_event=told.append):
        await asyncio.gather(*(talk() for _ in range(CALLS)))
    return loop.time() - begun, told


def share(refused: float) -> Callable[[float], bool]:
    random = Random(3)
    return lambda _: random.random() < refused


@pytest.mark.parametrize("wait", [None, 0.5, 1.0])
async def test_isolated_refusals_cost_little_as_other_conversations_run_meanwhile(wait: float | None):
    clean, _ = await seconds(Provider(share(0)))
    provider = Provider(share(0.03), wait)
    refused, told = await seconds(provider)

    assert clean == pytest.approx(10)
    assert refused <= 1.2 * clean
    assert provider.peak == AT_ONCE
    assert told == []


async def test_a_minute_without_any_answer_is_survived_with_one_notice():
    provider = Provider(lambda now: 3 <= now < 63)

    taken, told = await seconds(provider)

    assert 70 <= taken <= 90
    assert len([each for each in told if isinstance(each, ModelPaused)]) in (1, 2)
    assert provider.calls - CALLS * TURNS <= 100


async def test_a_limit_of_a_minute_is_kept_also_with_refusals():
    provider = Provider(share(0.03))

    await seconds(provider, RateLimit(requests_per_minute=60))

    assert provider.most == 60


async def test_an_unstated_rate_limit_is_learned():
    times: deque[float] = deque()

    def over(now: float) -> bool:
        while times and now - times[0] >= 60:
            times.popleft()
        if len(times) >= 600:
            return True
        times.append(now)
        return False

    provider = Provider(over, wait=5.0)
    taken, _ = await seconds(provider)

    assert 60 <= taken <= 90
    assert provider.calls - CALLS * TURNS <= 300


async def test_calls_to_a_model_that_refuses_all_of_them_end():
    loop, provider = asyncio.get_running_loop(), Provider(share(1), wait=60)
    retries = Retries(LoopClock(), Random(7), limiter=RateLimiter(name="m", now=loop.time))

    begun = loop.time()
    ends = await asyncio.gather(*(retries.run(provider) for _ in range(9)), return_exceptions=True)

    reasons = {re.sub(r"after \d attempt|for .*", "...", str(end)) for end in ends}
    assert reasons <= {"slow down (...s, it asks to wait 60 s)", "m: rejects calls; no call has succeeded ..."}
    assert (loop.time() - begun < 480, provider.calls < 40) == (True, True)
