"""What commands and pages cost on a store with very many conversations: CPU and peak memory, each in its own process.

    python benchmarks/scale.py FILE [--conversations 100000] [--repeats 10] [--only show,gate]

FILE is filled first if it does not exist: half as many gigabytes as there are 100,000 conversations. With --only, the
commands with these names are measured.
"""

import argparse
import asyncio
import hashlib
import json
import sqlite3
import tempfile
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2
from arguments import positive
from measured_process import measured

from sparring.app.stored_figures import rebuild_figures
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, conversation_id, goal_progress
from sparring.core.seeding import repeat_seed
from sparring.core.usage import Usage
from sparring.core.value import to_json
from sparring.runner.verdicts import checks_of, record_findings
from sparring.settings import Serve, Settings
from sparring.store.sqlite.store import SqliteStore
from sparring.store.store import RecordedChecks
from sparring.testing.factories import a_batch, a_conversation
from sparring.web.app import application, guarded

IDS = "01J0000000000000000000000A", "01J0000000000000000000000B"
"""The batches that are made, of the same cases: the second one does worse."""

ROWS = 2000
KINDS = 40
"""Different conversations: the others are copies under other ids."""

SINGLE = "then: turns() < 9\n"
PAIRS = """
conversations: 2
when: conv[0].size == conv[1].size
then: turns(conv[0]) == turns(conv[1])
"""

_URL = "http://localhost"


async def fill(path: Path, conversations: int, repeats: int) -> None:
    """Fill a store with two batches of conversations, with the verdicts that are recorded when they end.

    The store writes `KINDS` conversations of each batch; the others are copies of their rows under other ids.
    """
    cases = tuple(f"case-{n:07}" for n in range(conversations // repeats))
    for number, id in enumerate(IDS):
        batch = a_batch(*cases, id=id, name=f"night-{number}", repeats=repeats)
        batch = batch.model_copy(update={"cases": tuple(_tagged(n, each) for n, each in enumerate(batch.cases))})
        with tempfile.TemporaryDirectory() as folder:
            rows = await _rows(batch, Path(folder) / "kinds.db", worse=number)
        async with SqliteStore(path) as store:
            await store.create(batch)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = off")
            _copy(connection, batch, rows)
        async with SqliteStore(path) as store:
            await record_findings(batch, store)
            began = time.process_time()
            await rebuild_figures(batch, store)  # as a run does while it goes on
            took = 1_000_000 * (time.process_time() - began) / conversations
            print(f"figures: {took:.0f} µs of CPU for each conversation", flush=True)


def _tagged(number: int, case: Case) -> Case:
    tags = ("vip",) if number % 97 == 0 else ()
    return case.model_copy(update={"tags": tags, "variables": {**case.variables, "size": f"size {number}"}})


async def _rows(batch: Batch, path: Path, worse: int) -> list[dict[str, list[tuple[Any, ...]]]]:
    """Return the rows of the tables that hold a conversation, for each of the kinds."""
    few = batch.model_copy(update={"cases": batch.cases[:KINDS], "repeats": 1})
    async with SqliteStore(path) as store:
        await store.create(few)
        for number, case in enumerate(few.cases):
            conversation, checks = await _kind(few, case, number, worse)
            await store.add(few.id, conversation, checks=checks)
    found = []
    with closing(sqlite3.connect(path)) as connection:
        for position, (recording,) in enumerate(
            connection.execute("SELECT recording FROM conversations ORDER BY position").fetchall()
        ):
            found.append(
                {
                    table: connection.execute(f"SELECT * FROM {table} WHERE {key} = ?", (value,)).fetchall()
                    for table, (key, value) in {
                        "recordings": ("key", recording),
                        "conversations": ("recording", recording),
                        "checked": ("recording", recording),
                        "listed": ("position", position),
                        "words": ("recording", recording),
                    }.items()
                }
            )
    return found


async def _kind(batch: Batch, case: Case, number: int, worse: int) -> tuple[Conversation, RecordedChecks]:
    ending = Ending.GAVE_UP if number % 10 < 1 + worse else Ending.GOALS_ANSWERED
    made = a_conversation(case, ending=ending, said=f"A large pizza, please, number {number}.")
    made = made.model_copy(
        update={
            "usage": {"chatbot": made.usage["chatbot"], "user": Usage(calls=2, input_tokens=500 + number, cost=0.0003)},
            "timing": made.timing and made.timing.model_copy(update={"replies": (0.5 + number / 100, 0.25)}),
        }
    )
    if ending is Ending.GAVE_UP:
        made = made.model_copy(update={"goals": tuple(goal_progress(each.text, 0, None) for each in made.goals)})
    return made, await checks_of(batch).evaluate(made)


def _copy(connection: sqlite3.Connection, batch: Batch, kinds: list[dict[str, list[tuple[Any, ...]]]]) -> None:
    """Write rows of all conversations of a batch, in transactions of many."""
    (first,) = connection.execute("SELECT coalesce(max(key), 0) + 1 FROM recordings").fetchone()
    (case_key,) = connection.execute("SELECT coalesce(max(key), 0) + 1 FROM cases").fetchone()
    places = ((position, repeat) for position in range(len(batch.cases)) for repeat in range(1, batch.repeats + 1))
    while some := list(islice(places, ROWS)):
        written: dict[str, list[tuple[Any, ...]]] = {}
        for recording, (position, repeat) in enumerate(some, first):
            kind = (position * 7 + repeat * 3 + position // 11) % KINDS
            case = batch.cases[position]
            document = to_json(case.model_copy(update={"seed": repeat_seed(case.seed, repeat)}))
            hash = hashlib.sha256(document).digest()
            stored = connection.execute("SELECT key FROM cases WHERE hash = ?", (hash,)).fetchone()
            if stored is None:  # a repeat has a seed of its own, and both batches the same cases
                written.setdefault("cases", []).append((case_key, hash, document))
            key, case_key = stored[0] if stored else case_key, case_key + (stored is None)
            _add(written, kinds[kind], batch, kind, (position, repeat, recording, key))
        connection.execute("BEGIN")
        for table, rows in written.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        connection.execute("COMMIT")
        first += len(some)


def _add(
    written: dict[str, list[tuple[Any, ...]]],
    rows: dict[str, list[tuple[Any, ...]]],
    batch: Batch,
    kind: int,
    place: tuple[int, int, int, int],
) -> None:
    position, repeat, recording, case_key = place
    id = json.dumps(conversation_id(batch.cases[position].id, repeat)).encode()
    own = json.dumps(conversation_id(batch.cases[kind].id, 1)).encode()
    ((_, _, document),) = rows["recordings"]
    document = document.replace(b'{"repeat":1,', b'{"repeat":%d,' % repeat, 1)
    written.setdefault("recordings", []).append((recording, case_key, document))
    ((*_, ending, seconds, _, attempt),) = rows["conversations"]
    written.setdefault("conversations", []).append((batch.id, position, repeat, ending, seconds, recording, attempt))
    written.setdefault("checked", []).extend(
        (recording, check, document and document.replace(own, id)) for _, check, document in rows["checked"]
    )
    written.setdefault("listed", []).extend((batch.id, position, repeat, *row[3:]) for row in rows["listed"])
    written.setdefault("words", []).extend((recording, words) for _, words in rows["words"])


def commands(folder: Path) -> dict[str, list[str]]:
    """Return what is measured, as arguments of `sparring`."""
    for name, rule in (("single", SINGLE), ("pairs", PAIRS)):
        (folder / f"{name}.yaml").write_text(f"name: {name}\n{rule}")
    return {
        "show": ["show", IDS[0]],
        "conversation": ["show", IDS[0], "case-0000007#2"],
        "cost": ["cost", IDS[0]],
        "gate": ["gate", IDS[0]],
        "report": ["report", IDS[0]],
        "csv": ["report", IDS[0], "--output", str(folder / "out.csv"), "--force"],
        "html": ["report", IDS[0], "--output", str(folder / "out.html"), "--force"],
        "compare": ["compare", *IDS],
        "check one": ["check", "--conversations", IDS[0], "--rules", str(folder / "single.yaml")],
        "check pairs": ["check", "--conversations", IDS[0], "--rules", str(folder / "pairs.yaml")],
    }


PAGES = {
    "batches": "/batches",
    "batch": f"/batches/{IDS[0]}",
    "first page": f"/batches/{IDS[0]}/conversations",
    "by outcome": f"/batches/{IDS[0]}/conversations?outcome=fail",
    "by ending": f"/batches/{IDS[0]}/conversations?ending=gave_up",
    "by check": f"/batches/{IDS[0]}/conversations?check=checklist",
    "by tag": f"/batches/{IDS[0]}/conversations?tag=vip",
    "by case": f"/batches/{IDS[0]}/conversations?case=case-00000",
    "rare words": f"/batches/{IDS[0]}/conversations?text=xyzzy",
    "sorted": f"/batches/{IDS[0]}/conversations?order=seconds&way=down",
    "one": f"/batches/{IDS[0]}/conversation?id=case-0000007",
    "REST, 1 of list": f"/api/batches/{IDS[0]}/conversations?limit=1",
    "REST, batch": f"/api/batches/{IDS[0]}",
    "REST, one": f"/api/batches/{IDS[0]}/conversations/case-0000007",
}


async def pages(path: Path, only: list[str]) -> None:
    """Print what each page costs the server, the first time and then."""
    settings = Settings(store=path, serve=Serve(chatbots=("pizzeria",), models=("offline",)))
    app = application(SqliteStore(path), settings, {})
    transport = httpx2.ASGITransport(app=guarded(app, settings))
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport, base_url=_URL) as client:
        for name, page in PAGES.items():
            if only and name not in only:
                continue
            took = []
            for _ in range(3):
                began = time.process_time()
                answer = await client.get(page, headers={"accept": "*/*" if "REST" in name else "text/html"})
                took.append(time.process_time() - began)
            told = "" if answer.status_code == 200 else f"  {answer.status_code}"
            print(f"{name:16}{1000 * took[0]:8,.0f} ms{1000 * min(took[1:]):10,.1f} ms{told}", flush=True)


def main(path: Path, conversations: int, repeats: int, only: list[str]) -> None:
    if not path.exists():
        began = time.process_time()
        asyncio.run(fill(path, conversations, repeats))
        print(
            f"filled with 2 x {conversations:,} conversations: {time.process_time() - began:.0f} s of CPU", flush=True
        )
    print(f"{'':16}{'CPU':>10}{'memory':>12}", flush=True)
    for name, arguments in commands(path.parent).items():
        if only and name not in only:
            continue
        code, seconds, megabytes = measured("-m", "sparring", *arguments, SPARRING_STORE=str(path))
        told = "" if code in (0, 1, 3, 4) else f"  exit code {code}"
        print(f"{name:16}{seconds:8.2f} s{megabytes:9,.0f} MB{told}", flush=True)
    print(f"{'the server':16}{'first':>11}{'then':>13}", flush=True)
    asyncio.run(pages(path, only))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--conversations", type=positive, default=100_000)
    parser.add_argument("--repeats", type=positive, default=10)
    parser.add_argument("--only", type=lambda names: names.split(","), default=[])
    chosen = parser.parse_args()
    main(chosen.file, chosen.conversations, chosen.repeats, chosen.only)
