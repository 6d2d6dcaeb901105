"""What it costs to keep a conversation: 256 adds at once, beside bare sqlite3 inserts of the same bytes.

python benchmarks/store.py [ROWS]
"""

import argparse
import asyncio
import sqlite3
import tempfile
import time
from pathlib import Path

from arguments import positive

from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.core.value import to_json
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation

AT_ONCE = 256
BUDGET = 0.1
TALK = "I would like to know whether the large margherita can come with a thin crust, and what that costs. "


def main(rows: int) -> None:
    batch = a_batch("pizza/1", repeats=rows)
    made = [_long(a_conversation(batch.cases[0], repeat=n)) for n in range(1, rows + 1)]
    documents = [to_json(each) for each in made]
    with tempfile.TemporaryDirectory() as directory:
        bare = measured(lambda: bare_inserts(Path(directory) / "bare.db", documents))
        ours = measured(lambda: asyncio.run(adds(Path(directory) / "ours.db", batch, made)))
    print(f"{rows} conversations of {len(documents[0])} bytes, {AT_ONCE} at once, synchronous=full")
    for name, (wall, cpu) in {"bare sqlite3": bare, "sparring": ours}.items():
        print(f"{name:14}{rows / wall:10,.0f} rows/s{cpu / rows * 1000:10.4f} ms of CPU a row")
    print(f"ratio: {ours[1] / bare[1]:.1f} x the CPU; budget {BUDGET} ms a row, encoding included")


def measured(work) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def bare_inserts(path: Path, documents: list[bytes]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript("PRAGMA journal_mode = wal; PRAGMA synchronous = full; CREATE TABLE a (b PRIMARY KEY, c)")
    for first in range(0, len(documents), AT_ONCE):
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO a VALUES (?, ?)", enumerate(documents[first : first + AT_ONCE], first))
        connection.execute("COMMIT")
    connection.close()


async def adds(path: Path, batch, conversations: list[Conversation]) -> None:
    waiting = iter(conversations)

    async def add() -> None:
        for conversation in waiting:
            await store.add(batch.id, conversation)

    async with SqliteStore(path) as store:
        await store.create(batch)
        await asyncio.gather(*(add() for _ in range(AT_ONCE)))


def _long(conversation: Conversation) -> Conversation:
    talk = (message(role, TALK * 4) for _ in range(6) for role in ("user", "chatbot"))
    return conversation.model_copy(update={"messages": tuple(talk)})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=positive, nargs="?", default=5000)
    main(parser.parse_args().rows)
