"""Runner of a server whose batches workers play: it submits them and follows their events."""

import asyncio
from contextlib import suppress
from typing import Self

from sparring.app.background import BackgroundRunner
from sparring.app.cluster.submit import remote, resume_shards, submit
from sparring.app.config import AppConfig
from sparring.app.execution import inputs_of
from sparring.app.launch import BatchPlan
from sparring.core.batch import Batch
from sparring.core.errors import InputError, StoreError

_LOOK = 0.5
"""Seconds between polls of the store, after which listeners look for more in the log."""


class RemoteRunner(BackgroundRunner):
    """Submits batches instead of playing them, so that several servers can stand behind a load balancer."""

    async def __aenter__(self) -> Self:
        self._under_way: frozenset[str] = frozenset()
        await self._look()
        self._looking = asyncio.create_task(self._look_always())
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._looking.cancel()
        await asyncio.gather(self._looking, return_exceptions=True)

    @property
    def running(self) -> tuple[str, ...]:
        return tuple(sorted(self._under_way))

    @property
    def batches(self) -> int:
        return len(self._under_way)

    def plays(self, batch: str) -> bool:
        return batch in self._under_way

    async def launch(self, plan: BatchPlan, config: AppConfig) -> Batch:
        if plan.callback_url:
            raise InputError("workers do not notify an address when a batch ends", hint="leave out callback_url")
        batch = await submit(plan, self._around(config), prompt_version=plan.prompt_version)
        self._under_way |= {batch.id}
        return batch

    async def resume(self, batch: str, *, retry_failed: bool = False) -> None:
        if retry_failed:
            raise InputError("workers do not retry void conversations", hint="sparring run --resume --retry-failed")
        head = await self._store.head(batch)
        self._permit(inputs_of(head).choice)
        await resume_shards(head, self._store)
        self._under_way |= {batch}

    async def cancel(self, batch: str) -> None:
        await remote(self._store).cancel_batch(batch)
        self._under_way -= {batch}

    async def _look_always(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            with suppress(StoreError):  # routes say that the database is gone
                await self._look()

    async def _look(self) -> None:
        jobs = await self._store.waiting()
        self._under_way = frozenset(job.batch for job in jobs if job.is_running)
        for batch in self._listening:
            self._publish(batch, None)


def runner_for(config: AppConfig) -> type[BackgroundRunner]:
    """Return the runner for a server's batches: remote if workers play the batches of this store."""
    return RemoteRunner if isinstance(config.store, str) else BackgroundRunner
