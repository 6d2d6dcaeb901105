import asyncio
import heapq
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sparring.core.errors import ModelUnavailable
from sparring.core.usage import RateLimit
from sparring.llm.call_context import call_context
from sparring.llm.client.rate_limiter import Permit, RateLimiter, RateLimits
from sparring.llm.deadlines import ConversationClock

MINUTE = 60.0


class Time:
    """Time that passes when it is told to, and does then what was to be done."""

    def __init__(self) -> None:
        self.now = 0.0
        self._numbers = count()
        self._due: list[tuple[float, int, Alarm]] = []

    def later(self, seconds: float, act: Callable[[], None]) -> "Alarm":
        alarm = Alarm(act)
        heapq.heappush(self._due, (self.now + seconds, next(self._numbers), alarm))
        return alarm

    def pass_by(self, seconds: float) -> None:
        until = self.now + seconds
        while self._due and self._due[0][0] <= until:
            self.now, _, alarm = heapq.heappop(self._due)
            if alarm.act is not None:
                alarm.act()
        self.now = until


class Alarm:
    def __init__(self, act: Callable[[], None]) -> None:
        self.act: Callable[[], None] | None = act

    def cancel(self) -> None:
        self.act = None


class TheLimiter(RuleBasedStateMachine):
    """Calls come, are answered, refused or cancelled, and time passes."""

    @initialize(
        limit=st.builds(
            RateLimit,
            concurrency=st.none() | st.integers(1, 4),
            requests_per_minute=st.none() | st.integers(1, 30),
            tokens_per_minute=st.none() | st.integers(100, 1000),
        )
    )
    def begin(self, limit: RateLimit) -> None:
        self.loop = asyncio.new_event_loop()
        self.time = Time()
        self.limit = limit
        self.limiter = RateLimiter(limit, now=lambda: self.time.now, later=self.time.later)
        self.waiting: list[tuple[asyncio.Task[Permit], int]] = []
        self.flying: list[Permit] = []
        self.granted: list[tuple[float, int]] = []
        self.order: list[int] = []
        self.pauses: list[tuple[float, float]] = []
        self.asked = count()

    def settle(self) -> None:
        """Let everybody who was granted a turn take it."""
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.run_until_complete(asyncio.sleep(0))
        for task, number in list(self.waiting):
            if task.done():
                self.waiting.remove((task, number))
                grant = task.result()
                self.flying.append(grant)
                self.granted.append((grant.begun, grant.tokens))
                self.order.append(number)

    @rule(tokens=st.integers(1, 300), calls=st.integers(1, 8))
    def ask(self, tokens: int, calls: int) -> None:
        for _ in range(calls):
            self.waiting.append((self.loop.create_task(self.limiter.enter(tokens)), next(self.asked)))
        self.settle()

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), good=st.booleans())
    def answer(self, data: st.DataObject, good: bool) -> None:
        grant = self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))
        self.limiter.leave(grant, tokens=grant.tokens, good=good)
        self.settle()

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), seconds=st.floats(0.01, 90))
    def refuse(self, data: st.DataObject, seconds: float) -> None:
        grant = self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))
        self.limiter.leave(grant)
        shared, before = self.limiter.refuse(grant, seconds), len(self.granted)
        if shared:
            self.pauses.append((self.time.now, self.time.now + seconds))
        self.settle()
        assert not shared or len(self.granted) == before, "one goes although there is a pause"

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        task, _ = self.waiting.pop(data.draw(st.integers(0, len(self.waiting) - 1)))
        task.cancel()
        self.settle()

    @rule(seconds=st.floats(0, 100))
    def let_time_pass(self, seconds: float) -> None:
        self.time.pass_by(seconds)
        self.settle()

    @invariant()
    def no_window_of_a_minute_holds_more_than_the_limit(self) -> None:
        times = [begun for begun, _ in self.granted]
        for start in times:
            within = [tokens for begun, tokens in self.granted if start <= begun < start + MINUTE]
            if self.limit.requests_per_minute:
                assert len(within) <= self.limit.requests_per_minute
            if self.limit.tokens_per_minute and len(within) > 1:
                assert sum(within) <= self.limit.tokens_per_minute

    @invariant()
    def no_more_are_under_way_than_may_be(self) -> None:
        assert self.limiter.in_flight == len(self.flying)
        assert len(self.flying) <= (self.limit.concurrency or len(self.flying))

    @invariant()
    def who_comes_first_is_served_first(self) -> None:
        assert self.order == sorted(self.order)

    @invariant()
    def nothing_begins_during_a_pause(self) -> None:
        assert not any(start < begun < end for begun, _ in self.granted for start, end in self.pauses)

    def teardown(self) -> None:
        """However it went: everybody who still waits gets a turn in the end."""
        if not hasattr(self, "loop"):
            return
        for _ in range(10_000):
            if not self.waiting and not self.flying:
                break
            for grant in self.flying:
                self.limiter.leave(grant, tokens=grant.tokens, good=True)
            self.flying = []
            self.time.pass_by(7)
            self.settle()
            self.no_window_of_a_minute_holds_more_than_the_limit()
        assert (self.waiting, self.limiter.in_flight) == ([], 0), "somebody starves"
        self.loop.close()


TestTheLimiter = pytest.mark.slow(TheLimiter.TestCase)
TestTheLimiter.settings = settings(max_examples=60, stateful_step_count=30)


def limiter(limit: RateLimit, time: Time) -> RateLimiter:
    return RateLimiter(limit, name="openai:x", now=lambda: time.now, later=time.later)


async def enter_all(limiter: RateLimiter, calls: int, *, max_wait: float = 1e9) -> list[asyncio.Task[Permit]]:
    tasks = [asyncio.create_task(limiter.enter(max_wait=max_wait)) for _ in range(calls)]
    await turns()
    return tasks


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_calls_begin_evenly_spread_over_the_minute():
    time = Time()
    tasks = await enter_all(limiter(RateLimit(requests_per_minute=6), time), 4)

    begun = []
    for _ in range(31):
        begun.append(sum(task.done() for task in tasks))
        time.pass_by(1)
        await turns()

    assert [begun[second] for second in (0, 9, 10, 19, 20, 30)] == [1, 1, 2, 2, 3, 4]


async def test_a_call_counts_until_a_minute_after_it_was_answered():
    time = Time()
    one = limiter(RateLimit(tokens_per_minute=100), time)
    first = await one.enter(80)
    time.pass_by(3)
    one.leave(first, tokens=80)
    second = asyncio.create_task(one.enter(80))

    time.pass_by(59)
    await turns()
    early = second.done()
    time.pass_by(1)
    await turns()

    assert (early, second.done()) == (False, True)


@pytest.mark.usefixtures("virtual_time")
async def test_a_call_that_took_less_than_it_might_makes_room_at_once():
    one = limiter(RateLimit(tokens_per_minute=100), Time())
    one.leave(await one.enter(80), tokens=10)

    assert await asyncio.wait_for(one.enter(80), 60)


async def test_a_call_that_is_larger_than_the_limit_is_made_alone():
    time = Time()
    one = limiter(RateLimit(tokens_per_minute=100), time)

    one.leave(await one.enter(5000), tokens=5000)
    next = asyncio.create_task(one.enter(1))
    time.pass_by(61)
    await turns()

    assert next.done()


async def test_many_refusals_halve_how_many_may_be_under_way_once_and_good_answers_bring_them_back():
    time = Time()
    one = limiter(RateLimit(), time)
    flying = [task.result() for task in await enter_all(one, 64)]

    refused = []
    for grant in flying:
        one.leave(grant)
        refused.append(one.refuse(grant, 2))
    levels = [one.at_once]
    for seconds in (2, 4, 4, 4):
        time.pass_by(seconds)
        one.leave(await one.enter(), good=True)
        levels.append(one.at_once)

    assert (refused.index(True), refused.count(True)) == (4, 1)
    assert levels == [32, 32, 64, 96, 320]


async def test_refusals_among_many_answers_pause_and_halve_nothing():
    time = Time()
    one = limiter(RateLimit(), time)

    shared = []
    for number in range(1000):
        permit = await one.enter()
        one.leave(permit, good=bool(number % 5))
        shared += [] if number % 5 else [one.refuse(permit, 60)]

    assert (set(shared), one.at_once, one.paused_for()) == ({False}, float("inf"), 0)


async def test_a_refusal_after_a_pause_without_success_starts_a_longer_one():
    time = Time()
    one = limiter(RateLimit(), time)
    levels = []
    for grant in [task.result() for task in await enter_all(one, 16)]:
        one.leave(grant)
        one.refuse(grant, 1)
    for _ in range(6):
        time.pass_by(1)
        permit = await one.enter()
        one.leave(permit)
        one.refuse(permit, 1)
        levels.append(one.at_once)
    time.pass_by(1)
    one.leave(await one.enter(), good=True)
    time.pass_by(4)
    one.leave(await one.enter(), good=True)

    assert (levels[-1], one.refusals, one.at_once >= 16) == (1, 0, True)


async def test_nothing_begins_during_a_pause():
    time = Time()
    one = limiter(RateLimit(), time)
    one.pause(10)
    tasks = await enter_all(one, 3)

    time.pass_by(9.9)
    await turns()
    early = [task.done() for task in tasks]
    time.pass_by(0.2)
    await turns()

    assert (early, [task.done() for task in tasks]) == ([False] * 3, [True] * 3)


async def test_a_call_without_time_for_a_pause_fails_at_once():
    one = limiter(RateLimit(concurrency=1), Time())
    await one.enter()
    waiting = (await enter_all(one, 1, max_wait=120))[0]
    one.pause(3600)
    await turns()

    with pytest.raises(ModelUnavailable, match=r"^openai:x: rejects calls; rate limited for another 3,600 s$"):
        await waiting
    one.in_flight = 0
    with pytest.raises(ModelUnavailable):
        await one.enter(max_wait=120)


@pytest.mark.usefixtures("virtual_time")
async def test_a_deadline_stands_still_while_a_call_waits_for_its_turn():
    one = RateLimiter(RateLimit(), now=asyncio.get_running_loop().time)
    one.pause(0.05)

    with ConversationClock() as patience, call_context(clock=patience):
        with patience.timer.within(0.02) as patience.deadline:
            await one.enter()
        passed = patience.deadline.expired

    assert (passed, patience.waited >= 0.04) == (False, True)


@pytest.mark.usefixtures("virtual_time")
async def test_a_deadline_goes_on_where_it_stood():
    one = RateLimiter(RateLimit(), now=asyncio.get_running_loop().time)
    one.pause(0.02)

    async def enter_and_hang() -> None:
        clock = ConversationClock()
        with clock, call_context(clock=clock), clock.timer.within(0.05) as clock.deadline:
            await one.enter()
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await enter_and_hang()


def test_models_of_one_name_share_a_limiter_and_a_providers_limit_is_for_each_of_its_models():
    limits = RateLimits({"openai": RateLimit(concurrency=3), "openai:big": RateLimit(concurrency=1)})

    assert limits.of("openai:small") is limits.of("openai:small")
    assert limits.of("openai:small") is not limits.of("openai:tiny")
    names = ("openai:small", "openai:tiny", "openai:big", "groq:x")
    assert [limits.of(name).limit.concurrency for name in names] == [3, 3, 1, None]


def test_the_limit_of_an_address_is_for_each_of_its_models_with_or_without_a_slash():
    limits = RateLimits({"http://me/v1/": RateLimit(concurrency=3), "http://me/v1#big": RateLimit(concurrency=1)})

    names = ("http://me/v1#small", "http://me/v1/#big", "http://you/v1#small")
    assert [limits.of(name).limit.concurrency for name in names] == [3, 1, None]
