"""Computed results of batches, reused as long as everything that they depend on is unchanged.

What a batch lacks of verdicts and findings is recorded once.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import ValidationError

from sparring.app.discrimination import discriminator
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, StoreError
from sparring.core.value import Value, to_json
from sparring.core.version import __version__
from sparring.reports.formats import Listener
from sparring.runner.verdict_selection import ConversationVerdicts, complete_hash
from sparring.runner.verdicts import VerdictReader, invalid_rules, is_missing, record_missing, verdict_reader
from sparring.store.derived import Block
from sparring.store.store import Store, ignore

V = TypeVar("V", bound=Value)
F = TypeVar("F", bound="Figures")


async def basis(batch: Batch, store: Store, *about: object) -> str:
    """Return a hash of a stored batch, of Sparring's version, and of `about`, the kind of result."""
    return stored_hash(checks_basis(batch), await store.state(batch.id), *about)


def checks_basis(batch: Batch) -> str:
    """Return a hash of a batch without its cases, of its checks, and of Sparring's version."""
    return stored_hash(complete_hash(batch), to_json(batch, without=frozenset({"cases"})))


def stored_hash(*about: object) -> str:
    """Return a hash of what a stored result depends on, and of Sparring's version."""
    return hashlib.sha256(repr((__version__, *about)).encode()).hexdigest()


async def computed(batch: Batch, store: Store, kind: str, hash: str, value: type[V]) -> V | None:
    """Return a stored result of a batch, if it was computed from the data with this hash."""
    document = await store.computed(batch.id, kind, hash)
    with suppress(ValidationError):
        return None if document is None else value.model_validate_json(document)
    return None


async def keep_computed(batch: Batch, store: Store, kind: str, hash: str, value: Value) -> None:
    """Store a result computed from a batch; do nothing in a read-only store."""
    with suppress(StoreError):
        await store.keep_computed(batch.id, kind, hash, to_json(value))


class Figures(Protocol):
    """Figures of the conversations of some cases, which can be stored and added to those of other cases."""

    def state(self) -> Any: ...

    def join(self, state: Any) -> None: ...


@dataclass(frozen=True)
class Kept(Generic[F]):
    """A kind of figures, and how to collect them; the stored ones depend on nothing but the stored data.

    `make` returns empty figures for a batch with some of its cases.
    """

    kind: str
    make: Callable[[Batch], F]
    add: Callable[[F, Conversation, ConversationVerdicts], None]


async def figures(
    batch: Batch,
    store: Store,
    *kinds: Kept[Any],
    unreadable: Callable[[str], None],
    listeners: Sequence[Listener] = (),
    beside: Sequence[Kept[Any]] = (),
) -> list[Any]:
    """Return figures of a batch, of each kind, from stored ones and from what changed since.

    Figures are stored by blocks of cases, and only changed blocks are read, with figures of the kinds `beside` these
    stored as well. `listeners` see every conversation, so with them all are read.
    """
    found = [each.make(batch) for each in kinds]
    reader = await block_reader(batch, store, unreadable, listeners, beside)
    for block in await store.blocks(batch.id):
        for whole, state in zip(found, await reader.states(block, kinds), strict=True):
            whole.join(json.loads(state))
    return found


@dataclass(frozen=True)
class BlockReader:
    """Reads and stores the figures of the blocks of a batch.

    `hash` is that of its checks and invalid rules.
    """

    batch: Batch
    store: Store
    hash: str
    verdicts: VerdictReader
    unreadable: Callable[[str], None]
    listeners: Sequence[Listener]
    beside: Sequence[Kept[Any]]

    async def states(self, block: Block, kinds: Sequence[Kept[Any]]) -> list[bytes]:
        """Return the figures of a block as JSON, of each kind."""
        held = await self.held(block, kinds)
        states = [state for state in held if state is not None]
        if not self.listeners and len(states) == len(kinds):
            return states
        names = {each.kind for each in kinds}
        return (await self.read(block, [*kinds, *(each for each in self.beside if each.kind not in names)]))[
            : len(kinds)
        ]

    async def held(self, block: Block, kinds: Sequence[Kept[Any]]) -> list[bytes | None]:
        """Return the stored figures of a block as JSON, of each kind; None where they are outdated."""
        return [await self.store.computed(self.batch.id, *self._place(each, block)) for each in kinds]

    async def read(self, block: Block, kinds: Sequence[Kept[Any]]) -> list[bytes]:
        """Read the conversations of a block, and store their figures unless one of them is unreadable."""
        some, unread = await _cases(self.batch, self.store, block), list[str]()
        parts = [each.make(some) for each in kinds]
        reading = self.store.with_results(self.batch.id, first=block.first, stop=block.stop, unreadable=unread.append)
        async for conversation, recorded in reading:
            given = self.verdicts(conversation, recorded)
            for kind, part in zip(kinds, parts, strict=True):
                kind.add(part, conversation, given)
            for listener in self.listeners:
                listener.add(given.reported(conversation))
        for id in unread:
            self.unreadable(id)
        states = [json.dumps(part.state()).encode() for part in parts]
        for kind, state in zip(kinds, states, strict=True):
            name, hash = self._place(kind, block)
            with suppress(StoreError):
                await self.store.keep_computed(self.batch.id, name, "" if unread else hash, state)
        return states

    def _place(self, kind: Kept[Any], block: Block) -> tuple[str, str]:
        return f"{kind.kind}/{block.first}", stored_hash(self.hash, block)


async def block_reader(
    batch: Batch,
    store: Store,
    unreadable: Callable[[str], None] = ignore,
    listeners: Sequence[Listener] = (),
    beside: Sequence[Kept[Any]] = (),
) -> BlockReader:
    """Return a reader of the blocks of a batch, as it is stored now."""
    hash = stored_hash(checks_basis(batch), await invalid_rules(batch, store))
    return BlockReader(batch, store, hash, await verdict_reader(batch, store), unreadable, listeners, beside)


async def _cases(batch: Batch, store: Store, block: Block) -> Batch:
    """Return a batch with the cases of a block, and their planned conversations."""
    cases = tuple(await store.cases(batch.id, block.first, block.stop))
    some = batch.model_copy(update={"cases": cases, "selected": ()})
    if not (selected := frozenset(batch.selected)):
        return some
    # Without any, it would plan all of them.
    return some.model_copy(update={"selected": tuple(id for id in some.ids() if id in selected) or ("",)})


async def with_cases(batch: Batch, store: Store) -> Batch:
    """Return a batch with its cases, loading them if needed."""
    return batch if batch.cases else batch.model_copy(update={"cases": (await store.batch(batch.id)).cases})


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
