"""Results of batches that are kept as long as everything that they follow from stays the same."""

import hashlib
from contextlib import suppress
from typing import TypeVar

from pydantic import ValidationError

from sparring.core.batch import Batch
from sparring.core.errors import StoreError
from sparring.core.value import Value, to_json
from sparring.core.version import __version__
from sparring.runner.check_hashes import complete_hash
from sparring.store.store import Store

V = TypeVar("V", bound=Value)


async def basis(batch: Batch, store: Store, *about: object) -> str:
    """Return a hash of what is stored of a batch, of this version, and of what results are `about`."""
    stored = await store.state(batch.id), to_json(batch, without=frozenset({"cases"}))
    return hashlib.sha256(repr((__version__, complete_hash(batch), *stored, *about)).encode()).hexdigest()


async def computed(batch: Batch, store: Store, kind: str, hash: str, value: type[V]) -> V | None:
    """Return what was computed of a batch, if it follows from what has this hash."""
    document = await store.computed(batch.id, kind, hash)
    with suppress(ValidationError):
        return None if document is None else value.model_validate_json(document)
    return None


async def keep_computed(batch: Batch, store: Store, kind: str, hash: str, value: Value) -> None:
    """Keep what was computed of a batch; do nothing in a store that cannot be written."""
    with suppress(StoreError):
        await store.keep_computed(batch.id, kind, hash, to_json(value))


async def with_cases(batch: Batch, store: Store) -> Batch:
    """Return a batch with its cases, which may have come without them."""
    return batch if batch.cases else batch.model_copy(update={"cases": (await store.batch(batch.id)).cases})
