"""How much the server computes for the pages of a large batch.

    python benchmarks/server_pages.py [--conversations 100000] [--live 1000 [--rate 200]]

It prints the CPU time that each page takes of the process, all threads together, the best of three: the first page of
conversations has 300 ms, a filter 500 ms. The batch is made in a temporary folder; making it takes some minutes.
With --live it plays so many conversations offline instead, one process for all, and prints how long a reader waits for
the page of the batch meanwhile, with another page following it live. They are played as fast as the machine can, or
with a chatbot that takes so long that about so many end in a second.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
from arguments import positive

from sparring.app.computed import complete
from sparring.core.batch import Batch
from sparring.core.conversation import Ending
from sparring.settings import Serve, Settings
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation
from sparring.web.app import application, guarded

FIRST, FILTER = 0.3, 0.5
_ID = "01J0000000000000000000000A"
_AT_ONCE = 256
_SCENARIO = "name: pizza\ngoals:\n  - a large custom pizza with ham\n"
_PLACES = 64
_SLOW = """
import asyncio

async def reply(messages, variables):
    await asyncio.sleep({seconds})
    return "Sure, one large custom pizza with ham."
"""
_PAGES = (
    ("first page", FIRST, ""),
    ("last page", FILTER, "page=last"),
    ("by ending", FILTER, "ending=gave_up"),
    ("by outcome", FILTER, "outcome=fail"),
    ("by score", FILTER, "score=1"),
    ("by check", FILTER, "check=checklist"),
    ("words that are rare", FILTER, "text=number+77777"),
    ("words that are common", FILTER, "text=goodbye"),
    ("words that are in no message", FILTER, "text=xyzzy"),
    ("by case", FILTER, "case=case-999"),
    ("by tag", FILTER, "tag=vip"),
    ("sorted by time", FILTER, "order=seconds&way=down"),
    ("sorted by outcome, filtered", FILTER, "order=outcome&ending=goals_answered"),
)


async def main(conversations: int) -> int:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sparring.db"
        async with SqliteStore(path) as store:
            began = time.process_time()
            batch = await _fill(store, conversations)
            print(f"made {conversations:,} conversations: {time.process_time() - began:.1f} s of CPU")
            began = time.process_time()
            await complete(await store.head(_ID), store)
            each = (time.process_time() - began) / conversations
            print(f"completed them once: {1000 * each:.2f} ms of CPU each")
        settings = Settings(store=path, serve=Serve(chatbots=("pizzeria",), models=("offline",)))
        app = application(SqliteStore(path), settings, {})
        async with app.router.lifespan_context(app), _client(guarded(app, settings)) as client:
            return await _measure(client, batch, conversations)


async def live(conversations: int, rate: int | None) -> int:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sparring.db"
        chatbot = "pizzeria"
        if rate:
            slow = Path(folder) / "slow.py"
            slow.write_text(_SLOW.format(seconds=_PLACES / rate), encoding="utf-8")
            chatbot = f"python:{slow}:reply"
        served = Serve(chatbots=(chatbot,), models=("offline",))
        settings = Settings(store=path, concurrency=_PLACES if rate else 32, serve=served)
        app = application(SqliteStore(path), settings, {})
        async with app.router.lifespan_context(app), _client(guarded(app, settings)) as client:
            form = {"file_name": "pizza.yml", "file_text": _SCENARIO, "repeat": str(conversations)}
            began = time.monotonic()
            answer = await client.post("/launch", data=form, headers={"hx-request": "true"})
            id = answer.headers["hx-redirect"].rpartition("/")[2]
            following = asyncio.create_task(client.get(f"/batches/{id}/live"))
            waits = []
            while app.state.service.background.plays(id):
                asked = time.monotonic()
                answer = await client.get(f"/batches/{id}", headers={"accept": "text/html"})
                assert answer.status_code == 200
                waits.append(time.monotonic() - asked)
                await asyncio.sleep(0.1)
            took = time.monotonic() - began
            told = (await following).text.count("\n\n")
    print(f"{conversations / took:,.0f} conversations a second; the live page was told {told} times")
    waits.sort()
    median, worst = 1000 * waits[len(waits) // 2], 1000 * waits[-1]
    print(f"the page of the batch, {len(waits)} times: median {median:.0f} ms, worst {worst:.0f} ms")
    return 0


async def _fill(store: SqliteStore, number: int) -> Batch:
    batch = a_batch(*(f"case-{n:06}" for n in range(number)), id=_ID)
    await store.create(batch)

    async def keep() -> AsyncIterator[None]:
        for start in range(0, number, _AT_ONCE):
            some = [
                a_conversation(
                    case,
                    ending=Ending.GAVE_UP if n % 10 == 0 else Ending.GOALS_ANSWERED,
                    said=f"A large pizza, please, number {n}.",
                )
                for n, case in enumerate(batch.cases[start : start + _AT_ONCE], start)
            ]
            await asyncio.gather(*(store.add(batch.id, each) for each in some))
            yield

    async for _ in keep():
        pass
    return batch


def _client(app: object) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost")  # type: ignore[arg-type]


async def _measure(client: httpx2.AsyncClient, batch: Batch, conversations: int) -> int:
    slow = 0
    pages = [("the batch", FILTER, f"/batches/{batch.id}"), ("all batches", FILTER, "/batches")]
    for name, most, query in _PAGES:
        wanted = query.replace("last", str(-(-conversations // 50)))
        pages.append((name, most, f"/batches/{batch.id}/conversations?{wanted}"))
    pages.append(("one conversation", FIRST, f"/batches/{batch.id}/conversation?id=case-000007"))
    for name, most, path in pages:
        took = min([await _took(client, path) for _ in range(3)])
        slow += took > most
        print(f"{name:28} {1000 * took:6.0f} ms of {1000 * most:.0f}{'  TOO SLOW' if took > most else ''}")
    return int(slow > 0)


async def _took(client: httpx2.AsyncClient, path: str) -> float:
    began = time.process_time()
    answer = await client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 200, (path, answer.text[:500])
    return time.process_time() - began


def _number(written: str) -> int:
    """How many to play live: `choices` would name a thousand numbers in its error."""
    if written.isascii() and written.isdecimal() and len(written) <= 4 and 1 <= int(written) <= 1000:
        return int(written)
    raise argparse.ArgumentTypeError("should be a whole number from 1 to 1000")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--conversations", type=positive, default=100_000)
    parser.add_argument("--live", type=_number, metavar="1-1000")
    parser.add_argument("--rate", type=positive)
    chosen = parser.parse_args()
    sys.exit(asyncio.run(live(chosen.live, chosen.rate) if chosen.live else main(chosen.conversations)))
