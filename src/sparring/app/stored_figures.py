"""Figures of batches, stored during the run, so that reports need not read conversations."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from hashlib import sha256

from sparring.app.computed import block_reader, complete
from sparring.app.report import report
from sparring.app.results import DEAREST, costs_of, standard_figures
from sparring.core.batch import Batch
from sparring.core.checks import Gate
from sparring.core.errors import SparringError
from sparring.core.usage import Pricing
from sparring.store.derived import Block
from sparring.store.store import Store

LARGE = 20_000
"""Conversations that take seconds to read, and their figures a while to add up."""

SECONDS = 5.0
"""Seconds between looks for blocks that are whole. One that has not changed since the last look is settled."""


@asynccontextmanager
async def storing_figures(batch: Batch, store: Store) -> AsyncIterator[None]:
    """Store the figures of whole blocks of a batch while it is played inside this block, and at its end.

    One process at a time does so. What cannot be stored stops nothing.
    """
    head = batch.model_copy(update={"cases": ()})
    storing = asyncio.create_task(_store_settled(head, store))
    try:
        yield
        await _stop(storing)
        with suppress(SparringError):
            await _store(head, store, await store.blocks(batch.id))
    finally:
        await _stop(storing)


async def lacks_figures(batch: Batch, store: Store) -> int:
    """Return how many conversations must be read for the figures of a large batch; 0 if they are stored.

    Batches of earlier versions have none.
    """
    stored = (await store.progress(batch.id)).stored
    if stored < LARGE or await store.is_played(batch.id):
        return 0
    reader, blocks = await block_reader(batch, store), await store.blocks(batch.id)
    held = [each for block in (blocks[0], blocks[-1]) for each in await reader.held(block, standard_figures(batch))]
    return stored if None in held else 0


async def rebuild_figures(batch: Batch, store: Store) -> int:
    """Compute the figures and results of a batch again, and store them. Return how many were wrong."""
    reader, kinds = await block_reader(batch, store), standard_figures(batch)
    held = {
        block: [_digest(each) for each in await reader.held(block, kinds)] for block in await store.blocks(batch.id)
    }
    wrong = await store.rebuild(batch.id)
    await complete(batch, store)
    for block in await store.blocks(batch.id):
        found = [_digest(each) for each in await reader.read(block, kinds)]
        wrong += sum(old not in ("", new) for old, new in zip(held.get(block, ()), found, strict=False))
    await store_results(batch, store)
    return wrong


async def store_results(
    batch: Batch, store: Store, gate: Gate | None = None, prices: Mapping[str, Pricing] | None = None
) -> None:
    """Compute what commands show of a batch as a whole, so that they find it stored."""
    await report(batch, store, gate=gate or Gate())
    await costs_of(batch, store, prices or {}, dearest=DEAREST)


def _digest(state: bytes | None) -> str:
    return sha256(state).hexdigest() if state is not None else ""


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _store_settled(batch: Batch, store: Store) -> None:
    before, stored = set[Block](), set[Block]()
    while True:
        await asyncio.sleep(SECONDS)
        with suppress(SparringError):  # another process does it, or the store takes nothing now
            now = await store.blocks(batch.id)
            stored |= set(await _store(batch, store, [each for each in now if each in before - stored]))
            before = set(now)


async def _store(batch: Batch, store: Store, blocks: list[Block]) -> list[Block]:
    """Store the figures of those blocks that are whole and have none; return these."""
    reader, kinds = await block_reader(batch, store), standard_figures(batch)
    with store.playing(f"{batch.id} figures"):
        whole = [each for each in blocks if await _is_whole(batch, store, each)]
        for block in whole:
            if None in await reader.held(block, kinds):
                await reader.read(block, kinds)
    return whole


async def _is_whole(batch: Batch, store: Store, block: Block) -> bool:
    """Return True if every conversation of a block is stored."""
    planned = (block.stop - block.first) * batch.repeats
    return block.revision >= planned and await store.stored_between(batch.id, block.first, block.stop) == planned
