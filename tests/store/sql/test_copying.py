"""A copy of a store equals it, whichever databases they are."""

from pathlib import Path

import pytest

from sparring.core.errors import InputError
from sparring.core.events import BatchStarted, ConversationEnded
from sparring.store.sql.store import TABLES, copy_store
from sparring.store.sqlite import database
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import RUBRIC, a_batch, a_verdict, all_conversations, attempt
from store_suite import all_in


async def fill(store) -> None:
    for id in ("B1", "B2"):
        batch = a_batch("a", "b", id=id, repeats=2).model_copy(update={"name": "nightly"})
        await store.create(batch)
        await store.log(id, BatchStarted(batch=batch))
        for each in all_conversations(batch):
            await store.add(id, each)
            await store.log(id, ConversationEnded(conversation=each))
        await store.replace(id, attempt(all_conversations(batch)[0], 2))
        await store.judge(id, a_verdict("b"), rubric=RUBRIC)


async def contents(store) -> list[object]:
    found: list[object] = [await store.namesakes("nightly"), await store.rubric(RUBRIC.hash)]
    for id in ("B1", "B2"):
        found += [await store.batch(id), await store.consumed(id), await store.attempts(id, "a")]
        found += [await all_in(store.conversations(id)), await all_in(store.verdicts(id))]
        found += [await all_in(store.events(id)), await store.progress(id)]
    return found


async def test_a_copy_equals_its_source_and_can_be_written(tmp_path: Path):
    async with SqliteStore(tmp_path / "a.db") as source, SqliteStore(tmp_path / "b.db") as target:
        await fill(source)

        assert await copy_store(source, target) == 8
        assert await contents(target) == await contents(source)
        assert await target.create(a_batch("c", id="B3"))
        with pytest.raises(InputError, match="not empty"):
            await copy_store(source, target)


async def test_a_copy_goes_to_postgres_and_back(tmp_path: Path, postgres_url: str):
    from sparring.store.postgres.store import PostgresStore

    async with (
        SqliteStore(tmp_path / "a.db") as source,
        PostgresStore(postgres_url) as other,
        SqliteStore(tmp_path / "b.db") as back,
    ):
        await fill(source)

        copied = [await copy_store(source, other), await copy_store(other, back)]
        whole = await contents(source)
        assert (copied, await contents(other) == whole, await contents(back) == whole) == ([8, 8], True, True)
        batch = a_batch("c", id="B3")
        await other.create(batch)
        for each in all_conversations(batch):
            assert await other.add("B3", each), "numbers go on behind those that were copied"


def test_every_table_is_copied(tmp_path: Path):
    file = database.connect(tmp_path / "a.db", busy_seconds=0)
    try:
        database.prepare(file, tmp_path / "a.db", busy_seconds=0)
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        assert {name for (name,) in file.execute(query)} == set(TABLES)
    finally:
        file.close()
