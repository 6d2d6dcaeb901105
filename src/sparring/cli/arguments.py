"""The batch that a command is given: its id, its name, or `latest`."""

from sparring.app.notices import listed
from sparring.cli.console import tell
from sparring.core.batch import Batch
from sparring.core.text import visible
from sparring.store.store import StoreReader


async def batch_called(which: str, store: StoreReader) -> Batch:
    """Return a batch with its cases; warn if other batches have the same name."""
    batch = await store.batch(which)
    await _tell(which, batch, store)
    return batch


async def head_called(which: str, store: StoreReader) -> Batch:
    """Return a batch without its cases; warn if other batches have the same name."""
    batch = await store.head(which)
    await _tell(which, batch, store)
    return batch


async def _tell(which: str, batch: Batch, store: StoreReader) -> None:
    if which == batch.name and which != batch.id and (others := (await store.namesakes(which))[1:]):
        tell(
            f"warning: several batches are called {visible(repr(which))}: this is the newest, {batch.id}, and not "
            f"{listed(others)}"
        )
