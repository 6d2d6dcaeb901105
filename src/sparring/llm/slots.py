"""Slots of conversations that run at the same time.

A conversation whose call waits after a refusal lends its slot to another one.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ConversationSlots:
    """At most `most` slots. A conversation that lent its slot gets one back before another one starts."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._free = most
        self._returning: deque[asyncio.Future[None]] = deque()
        self._starting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def hold(self) -> AsyncIterator["HeldSlot"]:
        """Hold a slot inside the block, once one is free."""
        await self.take(self._starting)
        try:
            yield HeldSlot(self)
        finally:
            self.release()

    async def take_back(self) -> None:
        """Take a slot before all conversations that have not started."""
        await self.take(self._returning)

    async def take(self, queue: deque[asyncio.Future[None]]) -> None:
        """Take a slot, or wait in a queue until one is free."""
        if self._free > 0:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was granted in the meantime
                self.release()
            raise

    def take_anyway(self) -> None:
        """Count a slot as taken, even if none is free: its holder is about to release it."""
        self._free -= 1

    def release(self) -> None:
        """Give a slot back, to the first that waits."""
        self._free += 1
        while self._free > 0 and (queue := self._returning or self._starting):
            turn = queue.popleft()
            if not turn.done():
                self._free -= 1
                turn.set_result(None)


class HeldSlot:
    """The slot of one conversation."""

    def __init__(self, slots: ConversationSlots) -> None:
        self._slots = slots
        self._lent = False

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Lend the slot to another conversation inside the block, and wait for a slot at its end.

        The only slot is never lent, so that conversations that must run one after the other do. Of simultaneous waits
        of a conversation, the first lends the slot.
        """
        if self._lent or self._slots.most == 1:
            yield
            return
        self._lent = True
        self._slots.release()
        try:
            yield
            await self._slots.take_back()
        except BaseException:
            self._slots.take_anyway()
            raise
        finally:
            self._lent = False
