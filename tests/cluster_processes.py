"""Worker processes on a PostgreSQL server, a chatbot that counts what it holds, and faults."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from postgres_server import PostgresServer
from sparring.app.cluster.submit import submit
from sparring.app.execution import Surroundings
from sparring.app.launch import BatchPlan
from sparring.core.batch import BatchExecution, PlayerNames
from sparring.core.case import Case, Say
from sparring.core.clock import SystemClock
from sparring.settings import Settings
from sparring.store.postgres.store import PostgresStore

BOT = """
import asyncio, os

async def reply(messages, variables):
    if len(messages) == 1:
        with open(os.environ["HELD"], "ab") as file:
            file.write(b".")
    await asyncio.sleep(float(os.environ["SECONDS"]))
    return f"You said {messages[-1].content}"
"""
SCRIPT = (Say(text="Hello"), Say(text="Still there?"), Say(text="Bye"))
PATIENCE = 120.0


class Cluster:
    """Workers in processes of their own; a batch is a number of scripted conversations."""

    def __init__(self, server: PostgresServer, url: str, folder: Path, *, seconds: float = 0.05) -> None:
        self.server, self.url, self.folder = server, url, folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.bot = folder / "slow_bot.py"
        self.bot.write_text(BOT)
        self.held = folder / "held"
        self.held.touch()
        self.environment = {
            **os.environ,
            "HELD": str(self.held),
            "SECONDS": str(seconds),
            "SPARRING_NULL_BOTS": "false",
        }

    def start(self, *options: str, concurrency: int = 20, stalled: float = 1.0) -> subprocess.Popen[bytes]:
        words = ["--store", self.url, "--concurrency", str(concurrency), "--stalled", str(stalled), *options]
        command = [sys.executable, "-m", "sparring", "worker", *words]
        with (self.folder / f"worker-{len(self.workers)}.log").open("wb") as log:
            worker = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)
        self.workers.append(worker)
        return worker

    def plan(self, conversations: int) -> BatchPlan:
        cases = tuple(Case(id=f"talk/{n}", script=SCRIPT, seed=n) for n in range(conversations))
        return BatchPlan(cases=cases, choice=PlayerNames(f"python:{self.bot}:reply", "", "scripted"))

    def submit(self, conversations: int) -> str:
        async def submitted() -> str:
            async with PostgresStore(self.url) as store:
                config = Settings(chatbot=f"python:{self.bot}:reply", null_bots=False).app_config()
                around = Surroundings(store=store, config=config, clock=SystemClock())
                return (await submit(self.plan(conversations), around)).id

        return asyncio.run(submitted())

    def job(self, batch: str) -> BatchExecution:
        async def read() -> BatchExecution:
            async with PostgresStore(self.url) as store:
                job = await store.job(batch)
                assert job is not None
                return job

        return asyncio.run(read())

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds; fail if it does not come."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                logs = "\n".join(path.read_text()[-2000:] for path in sorted(self.folder.glob("worker-*.log")))
                raise AssertionError(f"waited in vain until {what}; the workers said:\n{logs}")
            time.sleep(0.05)

    def until_played(self, conversations: int) -> None:
        self.until(lambda: self.executions >= conversations, f"{conversations} conversations have begun")

    def until_ended(self, batch: str) -> None:
        self.until(lambda: self.job(batch).ended is not None, f"batch {batch} has ended")

    @property
    def executions(self) -> int:
        """Conversations that began at the chatbot."""
        return self.held.stat().st_size

    def rows(self, batch: str) -> tuple[int, int]:
        """Return the number of stored conversations, and of distinct ones."""
        schema = self.url.rpartition("%3D")[2]
        query = (
            f"SELECT count(*), count(DISTINCT (position, repeat)) FROM {schema}.conversations WHERE batch = '{batch}'"
        )
        ((rows, distinct),) = self.server.sql(query)
        return rows, distinct

    def stop(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGCONT)
                worker.kill()
            worker.wait()
