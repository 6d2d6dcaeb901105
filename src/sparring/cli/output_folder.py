"""What `--output-dir` writes."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

from sparring.cli.replacing import CONVERSATIONS, refuse, whole
from sparring.core.batch import Batch
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.reports.json_report import line
from sparring.store.store import Store

_CONVERSATIONS = "conversations.ndjson"
Format = Literal["ndjson", "sensei", "results"]


def usable(folder: Path | None, format: Format) -> None:
    """An InputError where nothing could be written as it is wanted."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"--output-dir {folder}: is not a folder")
    if format != "ndjson" and folder is None:
        raise InputError(f"--format {format} writes into a folder, and none is given", hint="--output-dir DIR")
    if folder is not None and format == "ndjson":
        refuse(folder / _CONVERSATIONS, CONVERSATIONS)


async def write(folder: Path, format: Format, batch: Batch, store: Store, clock: Clock) -> str:
    """Write what was said, or what became of it, in the format that was asked for; what was written, in words."""
    if format == "results":
        from sparring.cli.result_folder import write_results  # who wants none of these pays nothing for them

        return await write_results(folder, batch, store, clock)
    conversations = store.conversations(batch.id)
    if format == "ndjson":
        return str(await write_ndjson(folder, conversations))
    from sparring.reports.sensei import profile_names, write_sensei  # the same holds for these

    sources = [Path(source) for source in batch.origin.sources] if batch.origin else []
    written = await write_sensei(folder, batch, conversations, profile_names(sources))
    lost = f"; {written.void} are void and left out" if written.void else ""
    return f"{written.folder}: {written.conversations} conversations and two reports as SENSEI writes them{lost}"


async def write_ndjson(folder: Path, conversations: AsyncIterator[Conversation]) -> Path:
    """Write `conversations.ndjson` into `folder`, one conversation a line; the path of the file."""
    path = folder / _CONVERSATIONS
    with whole(path) as file:
        async for conversation in conversations:
            file.write(line(conversation))
    return path
