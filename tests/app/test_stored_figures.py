import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from sparring.app import stored_figures
from sparring.app.computed import BlockReader, Kept, block_reader
from sparring.app.launch import BatchPlan, launch
from sparring.app.report import report
from sparring.app.results import DEAREST, costs_of, standard_figures, summarize
from sparring.app.stored_figures import lacks_figures, rebuild_figures, storing_figures
from sparring.core.batch import Batch, PlayerNames
from sparring.core.checks import Gate
from sparring.runner.verdicts import checks_of
from sparring.settings import Settings
from sparring.store.derived import Block
from sparring.store.sql import aggregates
from sparring.store.sql.connection import SqlConnection
from sparring.store.sql.store import SqlStore
from sparring.store.store import Store
from sparring.testing.factories import a_batch, a_verdict, all_conversations
from sparring.testing.memory_store import MemoryStore

BATCH = a_batch("a", "b", "c", id="B1", repeats=2)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one case."""
    monkeypatch.setattr(aggregates, "_TOGETHER", 1)
    monkeypatch.setattr(aggregates, "_BLOCK", 1)


async def played(store: Store, conversations: int) -> None:
    """Store the first conversations of the batch with their verdicts."""
    await store.create(BATCH)
    for each in all_conversations(BATCH)[:conversations]:
        await store.add(BATCH.id, each, checks=await checks_of(BATCH).evaluate(each))


async def stored(store: Store, batch: Batch) -> list[int]:
    """The first cases of the blocks with stored figures."""
    reader = await block_reader(await store.head(batch.id), store)
    blocks = await store.blocks(batch.id)
    return [each.first for each in blocks if None not in await reader.held(each, standard_figures(batch))]


async def test_a_batch_that_was_played_is_shown_gated_and_priced_without_its_conversations(
    monkeypatch: pytest.MonkeyPatch,
):
    store, config = MemoryStore(), Settings(chatbot="pizzeria", model="offline", concurrency=2).app_config()
    plan = BatchPlan(cases=BATCH.cases, choice=PlayerNames("pizzeria", "offline", "agenda"))
    [event async for event in launch(plan, store, config)]

    monkeypatch.delattr(SqlStore, "with_results")

    batch = await store.head("latest")
    made = await report(batch, store, gate=Gate(pass_rate=0.5, attempts="first"))
    assert (made.summary.stored, (await costs_of(batch, store, {})).total.calls) == (3, 0)


@pytest.mark.usefixtures("small_blocks")
async def test_figures_of_cases_whose_conversations_are_all_stored_are_stored_at_the_end():
    store = MemoryStore()

    async with storing_figures(BATCH, store):
        await played(store, 5)

    assert await stored(store, BATCH) == [0, 1]


@pytest.mark.usefixtures("small_blocks")
async def test_figures_of_cases_are_stored_while_others_are_played(monkeypatch: pytest.MonkeyPatch):
    store, done, reading = MemoryStore(), asyncio.Event(), BlockReader.read

    async def read(reader: BlockReader, block: Block, kinds: Sequence[Kept[Any]]) -> list[bytes]:
        found = await reading(reader, block, kinds)
        if block.first == 1:
            done.set()
        return found

    monkeypatch.setattr(stored_figures, "SECONDS", 0.0)
    monkeypatch.setattr(BlockReader, "read", read)

    async with storing_figures(BATCH, store):
        await played(store, 4)
        await done.wait()
        assert await stored(store, BATCH) == [0, 1]


async def test_figures_are_not_stored_twice_at_once():
    store = MemoryStore()

    with store.playing(f"{BATCH.id} figures"):
        async with storing_figures(BATCH, store):
            await played(store, 6)

    assert await stored(store, BATCH) == []


@pytest.mark.usefixtures("small_blocks")
async def test_rebuilding_stores_figures_and_counts_those_that_were_wrong():
    store = MemoryStore()
    await played(store, 6)
    summary = await summarize(await store.head(BATCH.id), store)

    def spoil(connection: SqlConnection) -> None:
        connection.execute("UPDATE computed SET document = ? WHERE kind = 'usage/1'", (b'{"used": []}',))

    await store._write(spoil)
    wrong = [await rebuild_figures(await store.head(BATCH.id), store) for _ in range(2)]

    assert wrong == [1, 0]
    assert await stored(store, BATCH) == [0, 1, 2]
    assert await summarize(await store.head(BATCH.id), store) == summary


async def test_rebuilding_stores_what_commands_show(monkeypatch: pytest.MonkeyPatch):
    store = MemoryStore()
    await played(store, 6)
    batch = await store.head(BATCH.id)
    await rebuild_figures(batch, store)

    monkeypatch.setattr(BlockReader, "states", None)

    made = await report(batch, store, gate=Gate())
    assert (made.summary.stored, (await costs_of(batch, store, {}, dearest=DEAREST)).batch) == (6, BATCH.id)


async def test_a_large_batch_without_figures_is_one_that_must_be_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stored_figures, "LARGE", 6)
    store = MemoryStore()
    await played(store, 6)
    batch = await store.head(BATCH.id)

    before = await lacks_figures(batch, store)
    await summarize(batch, store)

    assert (before, await lacks_figures(batch, store)) == (6, 0)


async def test_a_verdict_that_follows_makes_stored_figures_outdated():
    store = MemoryStore()
    async with storing_figures(BATCH, store):
        await played(store, 6)

    before = await stored(store, BATCH)
    await store.judge(BATCH.id, a_verdict("a", judge="human"))

    assert (before, await stored(store, BATCH)) == ([0], [])
