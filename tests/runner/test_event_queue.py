"""What is told arrives, in order and once, however it is told."""

import asyncio
from contextlib import aclosing

import pytest

from sparring.core.events import ConversationStarted, Event
from sparring.runner.event_queue import EventQueue


def started(number: int) -> Event:
    return ConversationStarted(conversation=f"case/{number}")


async def received(queue: EventQueue) -> list[list[Event]]:
    rounds = []
    while events := await queue.next_events():
        rounds.append(events)
    return rounds


async def test_events_published_together_arrive_together_in_order():
    queue = EventQueue()
    for number in range(3):
        queue.publish(started(number))
    queue.close()

    assert await received(queue) == [[started(0), started(1), started(2)]]


async def test_a_listener_is_woken_by_what_happens_and_by_the_end():
    queue = EventQueue()
    listener = asyncio.create_task(received(queue))
    for number in range(3):
        await asyncio.sleep(0)
        queue.publish(started(number))
        queue.publish(started(number + 10))
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not listener.done()
    queue.close()

    async with asyncio.timeout(5):
        told = await listener
    assert told == [[started(number), started(number + 10)] for number in range(3)]


async def test_a_listener_that_gave_up_loses_nothing_for_the_next():
    queue = EventQueue()
    listener = asyncio.create_task(queue.next_events())
    await asyncio.sleep(0)
    listener.cancel()
    queue.publish(started(1))
    await asyncio.gather(listener, return_exceptions=True)
    queue.publish(started(2))

    assert await queue.next_events() == [started(1), started(2)]


async def test_workers_end_when_the_last_subscriber_leaves():
    queue, gone = EventQueue(), list[str]()

    async def work() -> None:
        try:
            queue.publish(started(1))
            await asyncio.Event().wait()
        finally:
            gone.append("gone")

    async with aclosing(queue.run_workers(work, 2)) as happening:
        first = await anext(happening)

    assert (first, gone) == ([started(1), started(1)], ["gone", "gone"])


async def test_the_failure_of_a_worker_follows_earlier_events_and_stops_the_others():
    queue, received, gone = EventQueue(), list[list[Event]](), list[str]()
    numbers = iter([1, 2])

    async def work() -> None:
        number = next(numbers)
        queue.publish(started(number))
        try:
            await asyncio.sleep(0)
            if number == 1:
                raise ValueError("broken")
            await asyncio.Event().wait()
        finally:
            gone.append(f"gone {number}")

    async def listen() -> None:
        async with aclosing(queue.run_workers(work, 2)) as happening:
            async for events in happening:
                received.append(events)

    with pytest.raises(ValueError, match="broken"):
        await listen()

    assert (received, gone) == ([[started(1), started(2)]], ["gone 1", "gone 2"])


async def test_what_the_first_ask_for_may_come_before_the_last_of_many_begin():
    queue, happened, numbers = EventQueue(), list[tuple[str, int]](), iter(range(100))

    async def work() -> None:
        number = next(numbers)
        happened.append(("asks", number))
        await asyncio.sleep(0)  # one turn of the event loop
        happened.append(("is answered", number))

    async with aclosing(queue.run_workers(work, 100)) as happening:
        async for _ in happening:
            pass

    assert len(set(happened)) == 200
    assert happened.index(("is answered", 0)) < happened.index(("asks", 99))


async def test_a_subscriber_that_leaves_early_leaves_no_worker_behind():
    queue, begun, gone = EventQueue(), list[int](), list[int]()
    numbers = iter(range(1000))

    async def work() -> None:
        number = next(numbers)
        begun.append(number)
        queue.publish(started(number))
        try:
            await asyncio.Event().wait()
        finally:
            gone.append(number)

    async with aclosing(queue.run_workers(work, 1000)) as happening:
        await anext(happening)

    assert 0 < len(begun) < 1000
    assert gone == begun
    for _ in range(3):
        await asyncio.sleep(0)
    assert len(gone) == len(begun) < 1000
