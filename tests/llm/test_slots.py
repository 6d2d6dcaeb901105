"""Slots of conversations: lent while a call waits, and taken back first."""

import asyncio

import pytest

from sparring.llm.slots import ConversationSlots


class Playing:
    """Conversations that hold slots until they are told to end, and the order in which they began."""

    def __init__(self, most: int) -> None:
        self.slots = ConversationSlots(most)
        self.began: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    def start(self, name: str) -> tuple[asyncio.Event, asyncio.Event]:
        """Start a conversation; return what ends its wait, in which it lends its slot, and what ends it."""
        waits, ends = asyncio.Event(), asyncio.Event()
        self.tasks.append(asyncio.create_task(self._play(name, waits, ends)))
        return waits, ends

    async def _play(self, name: str, waits: asyncio.Event, ends: asyncio.Event) -> None:
        async with self.slots.hold() as slot:
            self.began.append(name)
            async with slot.lent():
                await waits.wait()
            self.began.append(f"{name} again")
            await ends.wait()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_lent_slot_is_taken_back_before_another_conversation_starts():
    playing = Playing(2)
    (a, a_ends), (b, b_ends), (c, _), _ = map(playing.start, "abcd")
    await settle()
    assert playing.began == ["a", "b", "c", "d"], "each of them waits"

    for each in (a, b, c):
        each.set()
    await settle()
    assert playing.began[4:] == ["a again", "b again"]

    playing.start("e")
    a_ends.set()
    await settle()
    assert playing.began[6:] == ["c again"]
    b_ends.set()
    await settle()
    assert playing.began[7:] == ["e"]
    for task in playing.tasks:
        task.cancel()


async def test_a_conversation_that_is_cancelled_while_it_waits_leaves_as_many_slots_as_before():
    playing = Playing(2)
    for name in "abc":
        playing.start(name)
    await settle()
    for task in playing.tasks:
        task.cancel()
    await asyncio.gather(*playing.tasks, return_exceptions=True)

    async with playing.slots.hold(), playing.slots.hold():
        third = asyncio.create_task(hold(playing.slots))
        await settle()
        assert not third.done()
    await third


async def hold(slots: ConversationSlots) -> None:
    async with slots.hold():
        pass


@pytest.mark.parametrize("most", [1, 2])
async def test_the_only_slot_is_never_lent(most: int):
    slots = ConversationSlots(most)
    async with slots.hold() as slot, slot.lent():
        others = [asyncio.create_task(hold(slots)) for _ in range(2)]
        await settle()
        assert all(each.done() for each in others) is (most > 1)
    await asyncio.gather(*others)


async def test_simultaneous_waits_of_a_conversation_lend_its_slot_once():
    playing = Playing(2)
    async with playing.slots.hold() as slot, playing.slots.hold(), slot.lent(), slot.lent():
        for waits, _ in map(playing.start, "ab"):
            waits.set()
        await settle()
        assert playing.began == ["a", "a again"]
        for task in playing.tasks:
            task.cancel()
        await asyncio.gather(*playing.tasks, return_exceptions=True)
