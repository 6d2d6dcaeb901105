"""Completes batches: records missing verdicts and findings once.

They are missing if a batch was killed, comes from an earlier version, or got another judge.
"""

import asyncio
from collections.abc import Sequence

from sparring.app.computed import checks_basis, computed, keep_computed
from sparring.app.discrimination import discriminator
from sparring.core.batch import Batch
from sparring.core.errors import InputError
from sparring.core.value import Value
from sparring.runner.verdicts import is_missing, record_missing
from sparring.store.derived import Block
from sparring.store.store import Store

_COMPLETE = "complete"
_PAUSE = 0.1
"""Seconds between polls of a batch that another process completes."""


class Complete(Value):
    """Hashes of the whole batch and of its cases, when nothing was missing."""

    state: str = ""
    blocks: tuple[Block, ...] = ()


async def complete(batch: Batch, store: Store) -> None:
    """Record the missing verdicts and findings of a batch, once, under its lock.

    A running batch is left alone: it is completed when it ends. If another process completes the batch, wait for it.
    """
    completed, hash = False, checks_basis(batch)
    while True:
        now = Complete(state=await store.state(batch.id), blocks=tuple(await store.blocks(batch.id)))
        before = await computed(batch, store, _COMPLETE, hash, Complete) or Complete()
        if before.state == now.state:
            return None
        changed = sorted(set(now.blocks).difference(before.blocks))
        if not await is_missing(batch, store, changed):
            return await keep_computed(batch, store, _COMPLETE, hash, now)
        if completed:
            return None
        try:
            with store.playing(f"{batch.id} completing"):
                completed = await _complete_unless_played(batch, store, changed)
        except InputError:
            await asyncio.sleep(_PAUSE)
        else:
            if not completed:
                return None


async def _complete_unless_played(batch: Batch, store: Store, blocks: Sequence[Block]) -> bool:
    """Complete a batch; return False if it is running."""
    if await store.is_played(batch.id):
        return False
    with store.playing(batch.id):
        whole = await (store.batch if batch.rules else store.head)(batch.id)
        asked = {"who": batch.who, "rubrics": batch.rubrics, "case_rubrics": batch.case_rubrics}
        await record_missing(whole.model_copy(update=asked), store, discriminator(whole, store), blocks)
    return True
