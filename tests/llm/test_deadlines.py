"""Deadlines end what is late and nothing else, as `asyncio.timeout` does."""

import asyncio
import math

import pytest

from sparring.llm.call_context import call_context, current_call
from sparring.llm.deadlines import ConversationClock, Timer

FOREVER = 10
pytestmark = pytest.mark.usefixtures("virtual_time")


async def hang(seconds: float, seen: list[str]) -> None:
    with current_call().within(seconds):
        try:
            await asyncio.sleep(FOREVER)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise


async def test_a_late_call_is_cancelled_with_a_timeout():
    seen: list[str] = []
    with pytest.raises(TimeoutError):
        await hang(0.01, seen)

    assert (seen, asyncio.current_task().cancelling()) == (["cancelled"], 0)  # type: ignore[union-attr]


async def test_a_call_in_time_leaves_no_timer_behind():
    timer = Timer()
    with timer.within(0.01):
        await asyncio.sleep(0)
    await asyncio.sleep(0.02)

    assert timer._handle is None or timer._handle.cancelled()


async def test_a_deadline_that_has_passed_already_ends_it_at_once():
    with pytest.raises(TimeoutError), current_call().within(-1):
        await asyncio.sleep(FOREVER)


async def test_no_time_is_endless_time():
    with current_call().within(math.inf) as deadline:
        await asyncio.sleep(0.01)

    assert not deadline.expired


async def test_the_inner_deadline_is_met_by_the_inner_call_alone():
    timer = ConversationClock().timer
    with timer.within(0.05) as outer:
        with pytest.raises(TimeoutError), timer.within(0.01):
            await asyncio.sleep(FOREVER)
        await asyncio.sleep(0)

    assert not outer.expired


async def test_the_outer_deadline_ends_what_the_inner_one_would_still_allow():
    timer = ConversationClock().timer
    with pytest.raises(TimeoutError), timer.within(0.01) as outer, timer.within(FOREVER) as inner:
        await asyncio.sleep(FOREVER)

    assert (outer.expired, inner.expired) == (True, False)


async def test_both_at_once_are_one_timeout():
    timer = ConversationClock().timer
    with pytest.raises(TimeoutError), timer.within(0.01), timer.within(0.01):
        await asyncio.sleep(FOREVER)

    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_a_deadline_after_many_that_were_met_is_kept_all_the_same():
    timer = ConversationClock().timer
    for _ in range(5):
        with timer.within(0.03):
            await asyncio.sleep(0.01)
    with pytest.raises(TimeoutError), timer.within(0.03):
        await asyncio.sleep(FOREVER)


async def test_a_shorter_deadline_after_a_longer_one_does_not_wait_for_it():
    timer = ConversationClock().timer
    with timer.within(FOREVER):
        pass
    with pytest.raises(TimeoutError), timer.within(0.01):
        await asyncio.sleep(FOREVER)


async def test_a_cancellation_from_outside_is_not_turned_into_a_timeout():
    async def hang() -> None:
        with ConversationClock() as clock, call_context(clock=clock), current_call().within(FOREVER):
            await asyncio.sleep(FOREVER)

    task = asyncio.create_task(hang())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_tasks_of_one_conversation_have_deadlines_of_their_own():
    ended = []

    async def hang(name: str, seconds: float) -> None:
        try:
            with current_call().within(seconds):
                await asyncio.sleep(FOREVER)
        except TimeoutError:
            ended.append(name)

    with ConversationClock() as clock, call_context(clock=clock):
        await asyncio.gather(hang("late", 0.03), hang("early", 0.01))

    assert set(ended) == {"early", "late"}
