"""The stores behind the configuration: opened, checked and locked, whichever database they are."""

from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.store.redaction import Redaction
from sparring.store.store import Store

# The database is imported where a store is used: commands over files need none.


def open_store(config: AppConfig, *, must_exist: bool = False) -> AbstractAsyncContextManager[Store]:
    """Open the store of the configuration; what it redacts is redacted before anything is stored."""
    return open_store_at(config.store, must_exist=must_exist, redaction=Redaction(config.redact))


def open_store_at(
    path: Path, *, must_exist: bool = False, redaction: Redaction | None = None
) -> AbstractAsyncContextManager[Store]:
    """Open the store in a file."""
    from sparring.store.sqlite.store import SqliteStore

    return SqliteStore(path, must_exist=must_exist, hiding=redaction)


def check_store(path: Path) -> None:
    """Raise StoreError or InputError if a store cannot be opened or made in this file."""
    from sparring.store.sqlite.database import check

    check(path)


def lock_for_server(path: Path) -> AbstractContextManager[None]:
    """Lock a store for the one server that plays its batches. Raise InputError if another server has it."""
    from sparring.store.sqlite.locks import store_lock

    return store_lock(path)


def is_served(path: Path) -> bool:
    """Return True if a server plays the batches of a store."""
    from sparring.store.sqlite.locks import is_held

    return is_held(path)
