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
from sparring.runner.verdicts import invalid_rules, is_missing, record_missing, verdict_reader
from sparring.store.derived import Block
from sparring.store.store import Store

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
    """A kind of figures: how to collect them, and what they depend on besides the stored data.

    `make` returns empty figures for a batch with some of its cases.
    """

    kind: str
    make: Callable[[Batch], F]
    add: Callable[[F, Conversation, ConversationVerdicts], None]
    about: tuple[object, ...] = ()


async def figures(
    batch: Batch, store: Store, *kinds: Kept[Any], unreadable: Callable[[str], None], listeners: Sequence[Listener] = ()
) -> list[Any]:
    """Return figures of a batch, of each kind, from stored ones and from what changed since.

    Figures are stored by blocks of cases, and only changed blocks are read. `listeners` see every conversation, so with
    them all are read.
    """
    selected, invalid = frozenset(batch.selected), await invalid_rules(batch, store)
    hash, verdicts = checks_basis(batch), await verdict_reader(batch, store)
    found = [each.make(batch) for each in kinds]
    for block in await store.blocks(batch.id):
        hashes = [stored_hash(hash, invalid, each.about, block) for each in kinds]
        names = [f"{each.kind}/{block.first}" for each in kinds]
        held = [await store.computed(batch.id, *each) for each in zip(names, hashes, strict=True)]
        states = [state for state in held if state is not None]
        if listeners or len(states) < len(kinds):
            some = await _cases(batch, selected, store, block)
            parts, unread = [each.make(some) for each in kinds], list[str]()
            reading = store.with_results(batch.id, first=block.first, stop=block.stop, unreadable=unread.append)
            async for conversation, recorded in reading:
                given = verdicts(conversation, recorded)
                for kind, part in zip(kinds, parts, strict=True):
                    kind.add(part, conversation, given)
                for listener in listeners:
                    listener.add(given.reported(conversation))
            states = [json.dumps(part.state()).encode() for part in parts]
            for id in unread:
                unreadable(id)
            for name, own, state in zip(names, hashes, states, strict=True):
                with suppress(StoreError):
                    await store.keep_computed(batch.id, name, "" if unread else own, state)
        for whole, state in zip(found, states, strict=True):
            whole.join(json.loads(state))
    return found


async def _cases(batch: Batch, selected: frozenset[str], store: Store, block: Block) -> Batch:
    """Return a batch with the cases of a block, and their planned conversations."""
    cases = tuple(await store.cases(batch.id, block.first, block.stop))
    some = batch.model_copy(update={"cases": cases, "selected": ()})
    if not selected:
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
