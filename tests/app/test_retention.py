from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sparring.app.retention import delete_expired, forget, old
from sparring.core.batch import BatchExecution
from sparring.core.checks import Gate
from sparring.core.events import ConversationEnded
from sparring.settings import Settings
from sparring.store.sqlite.store import SqliteStore
from sparring.store.store import Store
from sparring.testing.factories import a_batch, a_conversation
from sparring.testing.memory_store import MemoryStore

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
MONTH = timedelta(days=30)
Make = Callable[[], AbstractAsyncContextManager[Store]]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    return MemoryStore if request.param == "memory" else lambda: SqliteStore(tmp_path / "kept.db")


def days(number: float) -> datetime:
    return NOW - timedelta(days=number)


async def keep(store: Store, id: str, *, age: float, name: str = "", tags: tuple[str, ...] = (), **job: object) -> None:
    batch = a_batch("a", id=id, name=name).model_copy(update={"created": days(age), "tags": tags})
    await store.create(batch)
    await store.add(id, a_conversation(batch.cases[0]))
    if job:
        await store.keep_job(BatchExecution.model_validate({"batch": id, "started": days(age), **job}))


async def fill(store: Store) -> None:
    await keep(store, "B1-imported", age=31)
    await keep(store, "B2-ended", age=31, ended=days(30.5))
    await keep(store, "B3-ended-lately", age=31, ended=days(29))
    await keep(store, "B4-begun-lately", age=31, started=days(2), ended=None)
    await keep(store, "B5-killed", age=31, ended=None)
    await keep(store, "B6-served", age=31, served=True, ended=None)
    await keep(store, "B7-tagged", age=31, tags=("nightly", "keep"), ended=days(31))
    await keep(store, "B8-baseline", age=31, name="good", ended=days(31))
    await keep(store, "B9-young", age=29, ended=days(29))
    await keep(store, "C1-failed", age=40, served=True, ended=days(40), error="no key")
    await keep(store, "C2-cancelled", age=40, served=True, cancelled=True, ended=days(40))


async def test_what_is_old_goes_and_says_why_it_stays(make: Make):
    config = Settings(gate=Gate(baseline="good")).app_config()
    async with make() as store:
        await fill(store)

        with store.playing("C2-cancelled"):
            found = {each.batch.id: each.kept async for each in old(store, NOW - MONTH, config)}
        stayed = await store.count()

    assert stayed == 11, "nothing is forgotten by looking"
    assert found == {
        "B1-imported": "",
        "B2-ended": "",
        "B5-killed": "",
        "B6-served": "a server goes on with it when it starts",
        "B7-tagged": "it has the tag keep",
        "B8-baseline": "the gate compares with it",
        "C1-failed": "",
        "C2-cancelled": "it is under way",
    }


async def test_what_goes_is_gone_and_the_rest_is_as_it_was(make: Make):
    async with make() as store:
        await fill(store)
        young = await store.conversation("B9-young", "a")

        with store.playing("B5-killed"):
            number = await delete_expired(store, NOW - MONTH, Settings(gate=Gate(baseline="good")).app_config())
        left = [each.id for each in await store.batches()]
        still = await store.conversation("B9-young", "a")
        more = await delete_expired(store, NOW - MONTH, Settings().app_config())

    assert number == 4
    assert left == [
        "B9-young",
        "B8-baseline",
        "B7-tagged",
        "B6-served",
        "B5-killed",
        "B4-begun-lately",
        "B3-ended-lately",
    ]
    assert (still, more) == (young, 2), "the baseline of no gate, and what was killed"


@pytest.mark.slow
async def test_more_batches_than_a_page_are_looked_through(make: Make):
    async with make() as store:
        for number in range(230):
            await keep(store, f"B{number:03}", age=31 if number % 2 else 1, ended=days(31 if number % 2 else 1))

        gone = await delete_expired(store, NOW - MONTH, Settings().app_config())

        assert (gone, await store.count()) == (115, 115)


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("kept.db*"))


async def test_nothing_that_was_said_is_left_in_any_file(tmp_path: Path):
    words, logs = "the elephant in the room is purple", tmp_path / "logs"
    logs.mkdir()
    names = [f"app_{id}.log" for id in ("B1", "B1.1", "B2")]
    for name in (*names, "conversations_B1.jsonl", "conversations_B1.jsonl.2", "conversations_B11.jsonl"):
        (logs / name).write_text(words)
    async with SqliteStore(tmp_path / "kept.db") as store, SqliteStore(tmp_path / "kept.db") as other:
        batch = a_batch("a", id="B1")
        await store.create(batch)
        said = a_conversation(batch.cases[0], said=words)
        await store.add("B1", said)
        await store.log("B1", ConversationEnded(conversation=said))
        await other.count()

        before = everything_in(tmp_path)
        await forget(store, "B1", logs)
        after = everything_in(tmp_path)

    assert (words.encode() in before, words.encode() in after) == (True, False)
    assert sorted(path.name for path in logs.iterdir()) == ["app_B1.1.log", "app_B2.log", "conversations_B11.jsonl"]
