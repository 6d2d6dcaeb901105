"""The usage ledger: stores usage of running conversations every second, so that a kill loses little."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Self

from sparring.core.errors import SparringError
from sparring.core.seeding import unique_id
from sparring.core.usage import Figures, Usage, total
from sparring.runner.spending import BatchSpending, ConversationSpending
from sparring.store.store import PendingUsage, Store

SECONDS = 1.0
"""Seconds between two writes, if anything has changed."""


class UsageLedger:
    """Writes the usage that is not stored with a conversation yet to `store`, inside `async with`.

    At the end, only the usage of conversations that were not stored remains.
    """

    def __init__(self, batch: str, store: Store, spending: BatchSpending) -> None:
        self._batch, self._store, self._spending = batch, store, spending
        self._run = unique_id()
        self._begun = self._failed = False
        self._noted = Usage()
        self._shares: dict[ConversationSpending, Figures] = {}

    async def __aenter__(self) -> Self:
        self._keeping = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        lost = self._spending.lost
        if lost.calls or self._begun:
            await self._store.drop(self._batch, lost, run=self._run)

    async def note(self) -> None:
        """Write the current usage unless nothing has changed."""
        # No await between reading and writing, or usage stored meanwhile would be counted twice.
        self._shares = self._spending.unkept()
        unkept = total([self._spending.lost.figures, *self._shares.values()])
        if unkept != self._noted or self._failed:
            self._begun, self._noted, self._failed = True, unkept, False
            try:
                await self._store.drop(self._batch, unkept, run=self._run)
            except SparringError:
                self._failed = True
                raise

    async def stored(
        self, account: ConversationSpending, usage: Usage, write: Callable[[PendingUsage | None], Awaitable[bool]]
    ) -> bool:
        """Store something with usage by `write`, which also updates the ledger."""
        account.stored(usage)
        try:
            written = await write(self._left(account))
        except Exception:  # on cancellation the write still happens unless the store fails
            await self._not_stored(account, usage)
            raise
        if not written:
            await self._not_stored(account, usage)
        return written

    async def _not_stored(self, account: ConversationSpending, usage: Usage) -> None:
        account.not_stored(usage)
        if self._begun:  # keep it in the ledger in case it is stored another way
            with suppress(SparringError):
                await self.note()

    def _left(self, account: ConversationSpending) -> PendingUsage | None:
        """Return the usage that remains in the ledger, or None if the ledger had none of this conversation."""
        share = self._shares.pop(account, None)
        if share is None:
            return None
        self._noted -= total([share])
        return PendingUsage(run=self._run, usage=self._noted)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            with suppress(SparringError):  # storing a conversation reports the problem
                await self.note()
