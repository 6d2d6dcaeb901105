"""The batch that a command is given: its id, its name, or `latest`; and a file to write."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.stores import open_store, run_id
from sparring.cli.console import notify
from sparring.core.batch import Batch
from sparring.core.errors import InputError
from sparring.store.store import Store

_SECONDS = 0.0003
"""CPU that the figures of a conversation take."""


@asynccontextmanager
async def opened(config: AppConfig, which: str, *, head: bool = False) -> AsyncIterator[tuple[Batch, Store]]:
    """Open the store, and find a batch in it; with `head`, without its cases."""
    async with open_store(config, must_exist=True) as store:
        yield await batch_called(which, store, head=head), store


async def warn_of_missing_figures(batch: Batch, store: Store) -> None:
    """Say so if the figures of a large batch must be computed first, which takes a while."""
    from sparring.app.stored_figures import lacks_figures  # most commands need none

    if lacking := await lacks_figures(batch, store):
        minutes = max(1, round(lacking * _SECONDS / 60))
        again = "they are stored for the next time; for all batches: sparring store rebuild"
        notify(f"reading {lacking:,} conversations for their figures, about {minutes} min ({again})")


async def batch_called(which: str, store: Store, *, head: bool = False) -> Batch:
    """Return a batch by its id, `NAME@RUN`, name or `latest`. A name means the newest run.

    With `head`, it comes without its cases.
    """
    which = await run_id(which, store)
    return await (store.head(which) if head else store.batch(which))


def new_scenario_file(file: Path) -> None:
    """Raise InputError unless a scenario can be written to a new file of this name."""
    if file.suffix not in (".yml", ".yaml") or file.exists():
        why = "already exists" if file.exists() else "should end in .yml"
        raise InputError(f"{file}: {why}", hint="name another file")
