"""Problems that keep a service from storing conversations: a failing store, or a full disk."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from sparring.core.addresses import Address
from sparring.core.errors import SparringError
from sparring.store.store import Store

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
