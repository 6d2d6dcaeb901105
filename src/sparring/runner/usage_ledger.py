"""The usage ledger: stores intents of calls before they are made, and usage without a row."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Self

from sparring.core.errors import SparringError
from sparring.core.seeding import unique_id
from sparring.core.usage import UnstoredUsage, Usage
from sparring.runner.spending import BatchSpending
from sparring.store.store import PendingUsage, Store

SECONDS = 1.0
"""Seconds between two writes, if something has changed and no call is about to be made."""


class UsageLedger:
    """Writes the usage that is not stored with a conversation yet to `store`, inside `async with`.

    A call is made once a write counts it, so that a killed process leaves no call uncounted. Calls that begin during a
    write share the next one. At the end, only the usage of conversations that were not stored remains.
    """

    def __init__(self, batch: str, store: Store, spending: BatchSpending) -> None:
        self._batch, self._store, self._spending = batch, store, spending
        self._run = unique_id()
        self._begun = False
        self._noted: Usage | None = None  # what is stored, unless a write is on its way
        self._writes = 0
        self._wanted, self._written = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> Self:
        self._keeping = asyncio.create_task(self._keep())
        self._spending.intend = self._intend
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._spending.intend = None
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        lost = self._unstored()
        if lost.calls or self._begun:
            await self._store.drop(self._batch, lost, run=self._run)

    async def note(self) -> None:
        """Write the current usage unless nothing has changed."""
        # No await between reading and writing, or usage stored meanwhile would be counted twice.
        unstored = self._unstored()
        if unstored == self._noted or not (unstored.calls or self._begun):
            return
        self._begun = True
        number = self._next_write()
        await self._store.drop(self._batch, unstored, run=self._run)
        if number == self._writes:
            self._noted = unstored

    async def stored(self, usage: Usage, write: Callable[[PendingUsage | None], Awaitable[bool]]) -> bool:
        """Call `write`, which stores something with usage and updates the ledger."""
        self._spending.unkept.subtract(usage)
        pending = PendingUsage(run=self._run, usage=self._unstored()) if self._begun else None
        self._next_write()
        try:
            written = await write(pending)
        except Exception:  # on cancellation the write still happens unless the store fails
            await self._not_stored(usage)
            raise
        if not written:
            await self._not_stored(usage)
        return written

    async def _not_stored(self, usage: Usage) -> None:
        self._spending.unkept.add(usage)
        if self._begun:  # keep it in the ledger in case it is stored another way
            with suppress(SparringError):
                await self.note()

    def _next_write(self) -> int:
        """Number a write. Until it is done, nothing counts as stored, so that calls wait for the next one."""
        self._writes, self._noted = self._writes + 1, None
        return self._writes

    def _unstored(self) -> UnstoredUsage:
        ended, running = self._spending.unkept.usage - Usage(), self._spending.running
        calls = sum([each.billable for each in running])
        ended += Usage.unchecked({**_NONE, "calls": calls, "unknown_tokens": calls, "unknown_costs": calls})
        return UnstoredUsage.unchecked({**ended.__dict__, "unconfirmed": sum([each.running for each in running])})

    async def _intend(self) -> None:
        """Return once the running calls are noted. A store that cannot write for a while stops no call."""
        written = self._written
        self._wanted.set()
        if not self._keeping.done():
            await written.wait()

    async def _keep(self) -> None:
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(SECONDS):
                        await self._wanted.wait()
                self._wanted.clear()
                written, self._written = self._written, asyncio.Event()
                try:
                    with suppress(SparringError):  # storing a conversation reports the problem
                        await self.note()
                finally:
                    written.set()
        finally:
            self._written.set()  # calls that wait for the next write go on


_NONE = Usage().__dict__
