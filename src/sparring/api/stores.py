"""The store behind a call of the public API: a path, `:memory:`, or an open store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sparring.app.stores import open_store_at
from sparring.core.addresses import Address, address
from sparring.core.errors import InputError
from sparring.store.redaction import Redaction
from sparring.store.store import Store

MEMORY = ":memory:"
"""The name of a store that is discarded when the program ends."""

StoreLike = str | Path | Store | None
"""A path, a `postgresql://` address, `:memory:`, an open store, or None for the store of the settings."""


@dataclass(frozen=True)
class StorePlace:
    """A store that is opened for each use, or an open one."""

    path: Address | None = None
    given: Store | None = None
    redaction: Redaction = field(default_factory=Redaction)

    @asynccontextmanager
    async def open(self, *, must_exist: bool = True) -> AsyncIterator[Store]:
        """Open the store. Raise InputError if it `must_exist` and does not."""
        if self.given is not None:
            yield self.given
            return
        assert self.path is not None, "a store has a path or is given"
        async with open_store_at(self.path, must_exist=must_exist, redaction=self.redaction) as store:
            yield store


def place_of(store: StoreLike, default: Address, redaction: Redaction) -> StorePlace:
    """Return the place that `store` means; `default` if it is None."""
    if store == MEMORY:
        from sparring.testing.memory_store import MemoryStore

        return StorePlace(given=MemoryStore(redaction=redaction))
    if store is None or isinstance(store, str | Path):
        path = address(default if store is None else store)
        if isinstance(path, str):
            return StorePlace(path=path, redaction=redaction)
        if path.is_dir():
            raise InputError(f"the store {str(path)!r} is a folder", hint="name a file, such as .sparring/sparring.db")
        return StorePlace(path=path.absolute(), redaction=redaction)
    return StorePlace(given=store)
