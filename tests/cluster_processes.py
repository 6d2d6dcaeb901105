"""Worker processes on a PostgreSQL server, a chatbot that counts what it holds, and faults."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from postgres_server import PostgresServer
from sparring.app.cluster.submit import submit
from sparring.app.execution import Surroundings
from sparring.app.launch import BatchPlan
from sparring.core.batch import BatchExecution, PlayerNames
from sparring.core.case import Case, Goal, Say
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
_QUIET = 40
"""Looks at what has begun, 0.05 s apart."""

T = TypeVar("T")


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

    def orders(self, model: str, conversations: int) -> BatchPlan:
        """Plan pizza orders in which the same model plays both sides."""
        goals = tuple(Goal(text=each) for each in ("a small custom pizza with corn and ham", "a drink: coke"))
        cases = tuple(Case(id=f"order/{n}", goals=goals, seed=n) for n in range(conversations))
        return BatchPlan(cases=cases, choice=PlayerNames("pizzeria", model, model))

    def submit(self, conversations: int | BatchPlan, **settings: Any) -> str:
        plan = self.plan(conversations) if isinstance(conversations, int) else conversations

        async def submitted() -> str:
            async with PostgresStore(self.url) as store:
                config = Settings(chatbot=plan.choice.chatbot, null_bots=False, **settings).app_config()
                around = Surroundings(store=store, config=config, clock=SystemClock())
                return (await submit(plan, around)).id

        return asyncio.run(submitted())

    def remotely(self, batch: str, do: Callable[[PostgresStore, str], Awaitable[T]]) -> T:
        """Return what is found or done with a batch over a connection of its own."""

        async def done() -> T:
            async with PostgresStore(self.url) as store:
                return await do(store, batch)

        return asyncio.run(done())

    def job(self, batch: str) -> BatchExecution:
        job = self.remotely(batch, PostgresStore.job)
        assert job is not None
        return job

    def started(self, batch: str) -> list[datetime]:
        """Return when the conversations began by the clocks of their workers."""

        async def read(store: PostgresStore, batch: str) -> list[datetime]:
            return [each.timing.started async for each in store.conversations(batch) if each.timing]

        return self.remotely(batch, read)

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

    def until_quiet(self) -> int:
        """Wait until no conversation has begun for two seconds, and return how many have."""
        seen = [-1]

        def quiet() -> bool:
            seen.append(self.executions)
            return len(seen) > _QUIET and len(set(seen[-_QUIET:])) == 1

        self.until(quiet, "the workers are quiet")
        return seen[-1]

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
