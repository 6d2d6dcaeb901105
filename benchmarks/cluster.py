"""Workers on a real PostgreSQL: 20 of them killed at random moments, and the throughput of two against one.

Conversations of three turns with a chatbot that waits. After the kills every conversation must be stored once, with
the messages of an undisturbed run in SQLite. Throughput is that of whole batches, one and two workers taking turns.

    python benchmarks/cluster.py [--conversations 2000] [--kills 20] [--seconds 0.2]
"""

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterable
from pathlib import Path

from arguments import positive

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from cluster_processes import Cluster
from postgres_server import PostgresServer, postgres_server, programs
from sparring.app.launch import launch
from sparring.core.conversation import Conversation
from sparring.core.events import BatchStarted
from sparring.settings import Settings
from sparring.store.postgres.store import PostgresStore
from sparring.store.sqlite.store import SqliteStore

AT_ONCE, WORKERS = 20, 4
STALLED = 6.0
"""Seconds without a heartbeat: enough for workers of a busy machine, whose shards would be played twice."""

ROUNDS = 3
GOAL = 1.7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=positive, default=2000)
    parser.add_argument("--kills", type=positive, default=20)
    parser.add_argument("--seconds", type=float, default=0.2, help="for which the chatbot waits, for the throughput")
    options = parser.parse_args()
    if programs() is None:
        raise SystemExit("there is no PostgreSQL on this machine: `apt-get install postgresql`")
    with postgres_server() as server:
        killed(server, options.conversations, options.kills)
        throughput(server, options.seconds)


def killed(server: PostgresServer, conversations: int, kills: int) -> None:
    """Kill a worker `kills` times, each time at a random moment, and compare with an undisturbed run."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(server, server.url("kills"), Path(folder))
        moments = random.Random(7)
        workers = [cluster.start(stalled=STALLED) for _ in range(WORKERS)]
        batch = cluster.submit(conversations)
        for number in range(kills):
            cluster.until_played(round(conversations * (number + moments.random()) / (kills + 1)))
            victim = workers.pop(moments.randrange(len(workers)))
            victim.kill()
            workers.append(cluster.start(stalled=STALLED))
        cluster.until_ended(batch)
        rows, distinct = cluster.rows(batch)
        executions = cluster.executions
        equal = asyncio.run(equals_an_undisturbed_run(cluster, batch, conversations))
        cluster.stop()
    print(f"{kills} kills over {conversations:,} conversations: {rows:,} rows, {distinct:,} distinct")
    print(f"{executions:,} began; allowed are {conversations + kills * AT_ONCE:,}")
    print(f"messages and endings equal an undisturbed run in SQLite: {'yes' if equal else 'NO'}")
    if not (rows == distinct == conversations and executions <= conversations + kills * AT_ONCE and equal):
        raise SystemExit(1)


async def equals_an_undisturbed_run(cluster: Cluster, batch: str, conversations: int) -> bool:
    """Return True if a run of the same plan in one process says the same."""
    os.environ |= {"HELD": os.devnull, "SECONDS": "0"}
    config = Settings(chatbot=f"python:{cluster.bot}:reply", null_bots=False, concurrency=AT_ONCE).app_config()
    async with SqliteStore(cluster.folder / "alone.db") as alone, PostgresStore(cluster.url) as shared:
        events = [each async for each in launch(cluster.plan(conversations), alone, config)]
        (begun,) = [each.batch.id for each in events if isinstance(each, BatchStarted)]
        return await said(alone.conversations(begun)) == await said(shared.conversations(batch))


async def said(conversations: AsyncIterable[Conversation]) -> dict[str, tuple[object, ...]]:
    return {
        each.id: (each.ending, each.case.seed, [(message.role, message.text) for message in each.messages])
        async for each in conversations
    }


def throughput(server: PostgresServer, seconds: float) -> None:
    """Print conversations a second with one and with two workers of 20 conversations each."""
    found: dict[int, list[float]] = {1: [], 2: []}
    for number in range(ROUNDS):
        for workers, rates in found.items():
            with tempfile.TemporaryDirectory() as folder:
                cluster = Cluster(server, server.url(f"rate_{workers}_{number}"), Path(folder), seconds=seconds)
                for _ in range(workers):
                    cluster.start(concurrency=AT_ONCE)
                cluster.until_ended(cluster.submit(workers))  # the workers are up
                begun, many = time.monotonic(), 800 * workers
                cluster.until_ended(cluster.submit(many))
                rates.append(many / (time.monotonic() - begun))
                cluster.stop()
    one, two = (statistics.median(rates) for rates in found.values())
    print(f"a chatbot that waits {seconds:g} s: {one:.0f} conversations/s with one worker, {two:.0f} with two")
    print(f"ratio {two / one:.2f}, wanted {GOAL:g}")


if __name__ == "__main__":
    main()
