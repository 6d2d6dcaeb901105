"""`sparring worker`: play batches that others submit."""

import asyncio
import signal
import sys
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.stores import check_store
from sparring.cli import options
from sparring.cli.console import answer, notify
from sparring.cli.process import FAILED, PASSED
from sparring.core.addresses import shown
from sparring.core.errors import InputError


@options.configured("concurrency", "store")
async def worker(
    processes: Annotated[int, typer.Option("--processes", min=1, metavar="N")] = 1,
    grace: Annotated[float, typer.Option("--grace", min=0, metavar="SECONDS")] = 30,
    stalled: Annotated[float, typer.Option("--stalled", min=0.3, metavar="SECONDS")] = 30,
    listen: Annotated[bool, typer.Option("--listen/--no-listen")] = True,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Play conversations of submitted batches until SIGTERM. Exit code: 1 if the database is lost.

    Model keys, rate limits and the webhook come from this command; seeds, budget and redaction from the batch.
    """
    if not isinstance(config.store, str):
        raise InputError("workers need a store in PostgreSQL", hint="--store postgresql://HOST/DATABASE")
    check_store(config.store)
    if as_json:
        answer("worker", {"processes": processes, "concurrency": config.concurrency}, as_json=True)
    if processes > 1:
        return await _start(processes, config.concurrency)
    from sparring.app.cluster.run import work  # needs `sparring[cluster]`

    notify(f"worker for {shown(config.store)}: {config.concurrency} conversations at once")
    await work(config, grace_seconds=grace, stalled_seconds=stalled, listen=listen)
    return PASSED


async def _start(processes: int, concurrency: int) -> int:
    """Run several workers with the options of this one; if one is lost, stop the others."""
    words = [*sys.argv[1:], "--processes", "1", "--concurrency", str(max(1, concurrency // processes))]
    children = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "sparring", *words, stdout=asyncio.subprocess.DEVNULL
        )
        for _ in range(processes)
    ]
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    ended = [asyncio.create_task(each.wait()) for each in children]
    await asyncio.wait({*ended, stopping := asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    for each in children:
        if each.returncode is None:
            each.terminate()
    codes = await asyncio.gather(*ended)
    return PASSED if stop.is_set() and not any(codes) else FAILED
