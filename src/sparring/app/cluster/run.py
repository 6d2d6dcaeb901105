"""Runs worker processes until a signal stops them."""

import asyncio
import signal
from contextlib import suppress
from math import ceil

from sparring.app.cluster.submit import remote
from sparring.app.cluster.worker import ClusterWorker
from sparring.app.config import AppConfig
from sparring.app.stores import open_store
from sparring.runner.batch import reduced_gc

_SHARD = 50
"""Average number of running conversations per shard: some shards are about to end."""


async def work(config: AppConfig, *, grace_seconds: float, stalled_seconds: float, listen: bool = True) -> None:
    """Play shards until SIGTERM or SIGINT; then finish conversations under way as long as there is grace.

    Raises:
        StoreError: the database is gone.
    """
    from sparring.store.postgres.jobs import WorkerTerms, run_worker  # only with `sparring[cluster]`
    from sparring.store.postgres.store import PostgresStore

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with open_store(config) as store:
        remote(store)
        assert isinstance(store, PostgresStore)
        worker = ClusterWorker(store, config, stop)
        watching = asyncio.create_task(worker.watch())
        terms = WorkerTerms(ceil(config.concurrency / _SHARD) + 1, stalled_seconds, grace_seconds, listen)
        with reduced_gc(config.concurrency):
            working = asyncio.create_task(run_worker(store, worker.play, stop, terms))
            try:
                await asyncio.wait({watching, working}, return_when=asyncio.FIRST_COMPLETED)
                if watching.done():
                    watching.result()
                await working
            finally:
                for task in (watching, working):
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
