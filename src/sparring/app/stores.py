"""The stores behind the configuration: opened, checked and locked, and whether they can write."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.core.addresses import Address
from sparring.core.errors import InputError, SparringError
from sparring.core.plugins import install
from sparring.store.redaction import Redaction
from sparring.store.store import Store

# The database is imported where a store is used: commands over files need none.


def open_store(config: AppConfig, *, must_exist: bool = False) -> AbstractAsyncContextManager[Store]:
    """Open the store of the configuration; configured personal data is redacted before it is stored."""
    return open_store_at(config.store, must_exist=must_exist, redaction=Redaction(config.redact))


def open_store_at(
    place: Address, *, must_exist: bool = False, redaction: Redaction | None = None
) -> AbstractAsyncContextManager[Store]:
    """Open the store in a file, or at an address of PostgreSQL."""
    if isinstance(place, str):
        check_store(place)
        from sparring.store.postgres.store import PostgresStore

        return PostgresStore(place, must_exist=must_exist, redaction=redaction)
    from sparring.store.sqlite.store import SqliteStore

    return SqliteStore(place, must_exist=must_exist, redaction=redaction)


def check_store(place: Address) -> None:
    """Raise StoreError or InputError if a store certainly cannot be opened or created here."""
    if isinstance(place, str):
        if find_spec("psycopg") is None:
            raise InputError("a store in PostgreSQL needs packages", hint=install("cluster"))
        return
    from sparring.store.sqlite.database import check

    check(place)


def lock_for_server(place: Address) -> AbstractContextManager[None]:
    """Lock a store for the one server that plays its batches. Raise InputError if another server has it.

    Servers on a PostgreSQL store play nothing, so that there may be many.
    """
    if isinstance(place, str):
        return nullcontext()
    from sparring.store.sqlite.locks import store_lock

    return store_lock(place)


async def run_id(which: str, store: Store) -> str:
    """Return the id of the run that `NAME@RUN` means; anything else unchanged."""
    name, _, run = which.rpartition("@")
    runs = await store.namesakes(name) if name and run.isdecimal() else {}
    return next((id for id, number in runs.items() if str(number) == run), which)


def is_served(place: Address) -> bool:
    """Return True if a server runs the batches of a store."""
    if isinstance(place, str):
        return False
    from sparring.store.sqlite.locks import is_held

    return is_held(place)


async def copy_between(source: Address, target: Address) -> int:
    """Copy a store into an empty one; return its number of conversations."""
    from sparring.store.sql.store import SqlStore, copy_store

    async with open_store_at(source, must_exist=True) as one, open_store_at(target) as other:
        assert isinstance(one, SqlStore)
        assert isinstance(other, SqlStore)
        return await copy_store(one, other)


async def rebuild_all(store: Store) -> tuple[int, int]:
    """Recount the figures of all batches; return the number of batches, and the number of wrong figures."""
    from sparring.app.stored_figures import rebuild_figures  # most commands count nothing

    wrong, batches, before = 0, 0, ""
    while page := await store.batches(before=before):
        for batch in page:
            wrong += await rebuild_figures(batch, store)
        batches, before = batches + len(page), page[-1].id
    return batches, wrong


_LEAST_FREE = 64 * 2**20
"""Bytes below which a disk counts as full: a database and its log need room for a batch."""

_SILENT = 90
"""Seconds without a heartbeat after which a worker counts as gone."""


async def worker_problems(store: Store, address: Address) -> list[str]:
    """Return a problem if batches wait and no worker runs; nothing if this process plays them."""
    if isinstance(address, Path):
        return []
    from sparring.store.postgres.store import PostgresStore  # other services have no database server

    shards = await store.unattended(_SILENT) if isinstance(store, PostgresStore) else 0
    return [f"no worker was heard for {_SILENT} s, and {shards} shards wait: `sparring worker`"] if shards else []


async def store_problems(store: Store, address: Address) -> list[str]:
    """Return what is wrong with a store; nothing for one that works."""
    problems = list(_file_problems(address)) if isinstance(address, Path) else []
    try:
        await store.count()
    except SparringError as failed:
        problems.append(str(failed))
    return problems


def _file_problems(file: Path) -> Iterator[str]:
    folder = file.parent
    written = [file, folder] if file.exists() else [folder]
    yield from (f"the store cannot be written: no permission for {each}" for each in written if not _may_write(each))
    if folder.exists() and (free := shutil.disk_usage(folder).free) < _LEAST_FREE:
        yield f"the disk of the store is full: {free / 2**20:.0f} MB are free in {folder}"


def _may_write(path: Path) -> bool:
    return path.exists() and os.access(path, os.W_OK)
