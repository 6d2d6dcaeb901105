"""Export of a batch to files, and the rule for replacing existing files."""

import os
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EBUSY
from pathlib import Path
from shutil import copyfile
from stat import S_IMODE
from typing import TYPE_CHECKING, BinaryIO, Literal

from sparring.core.errors import InputError
from sparring.core.seeding import unique_id

if TYPE_CHECKING:
    from sparring.core.batch import Batch
    from sparring.core.clock import Clock
    from sparring.core.conversation import Conversation
    from sparring.store.store import Store

Layout = Literal["ndjson", "sensei", "results"]
"""The files of `--output-dir`: conversations; the folders of SENSEI; or the result rows and their summary."""

CONVERSATIONS = rb'\{"case":\{"id":'
"""The opening of a file of conversations."""

_CONVERSATIONS_FILE = "conversations.ndjson"
_READ = 65_536
"""Bytes of a file that are read to recognize it: some openings contain a batch name, which may be long."""


def require_replaceable(path: Path, openings: Iterable[bytes], *, force: bool = False) -> None:
    """Raise InputError if a file has content that begins with none of these regular expressions.

    With `force`, any file may be replaced.
    """
    if force or not path.is_file():
        return
    try:
        with path.open("rb") as file:
            start = file.read(_READ)
    except OSError as error:
        raise InputError(f"{path}: already exists and cannot be read: {error.strerror}") from error
    if start and not any(re.match(opening, start, re.DOTALL) for opening in openings):
        raise InputError(
            f"{path}: already exists and is not a file of this format, so it is not replaced",
            hint="give another name, or replace that file with --force",
        )


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write, which takes the place of an earlier one at the end of the block.

    If the block raises, or the disk is full, the earlier file stays. Pipes and devices are written directly. What a
    link leads to is replaced, and not the link.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not _is_replaceable(target):
            with suppress(BrokenPipeError), target.open("wb") as file:  # or it says why it cannot
                yield file
            return
        beside = target.with_name(f".sparring-{unique_id()}")
        try:
            with beside.open("xb") as file:
                yield file
            if target.exists():
                beside.chmod(S_IMODE(target.stat().st_mode))
            _put(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def write_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Write all chunks into a file, or leave an existing one unchanged."""
    with atomic_file(path) as file:
        for chunk in chunks:
            file.write(chunk)


def check_folder(folder: Path | None, layout: Layout, *, force: bool = False) -> None:
    """Raise InputError if the files of this layout cannot be written into a folder."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"--output-dir {folder}: is not a folder")
    if layout != "ndjson" and folder is None:
        raise InputError(f"--format {layout} writes into a folder, and none is given", hint="--output-dir DIR")
    if folder is not None and layout == "ndjson":
        require_replaceable(folder / _CONVERSATIONS_FILE, (CONVERSATIONS,), force=force)


async def export_batch(folder: Path, layout: Layout, batch: "Batch", store: "Store", clock: "Clock") -> str:
    """Write a batch into a folder, and return a description of the files."""
    if layout == "results":
        return await _write_results(folder, batch, store, clock)
    conversations = store.conversations(batch.id)
    if layout == "ndjson":
        return str(await write_conversations(folder, conversations))
    from sparring.reports.sensei import profile_names, write_sensei  # imported only for this layout

    sources = [Path(source) for source in batch.origin.sources] if batch.origin else []
    written = await write_sensei(folder, batch, conversations, profile_names(sources))
    lost = f"; {written.void} are void and left out" if written.void else ""
    return f"{written.folder}: {written.conversations} conversations and two reports as SENSEI writes them{lost}"


async def write_conversations(folder: Path, conversations: "AsyncIterator[Conversation]") -> Path:
    """Write `conversations.ndjson`, one conversation a line, and return its path."""
    from sparring.reports.json_report import line

    path = folder / _CONVERSATIONS_FILE
    with atomic_file(path) as file:
        async for conversation in conversations:
            file.write(line(conversation))
    return path


async def _write_results(folder: Path, batch: "Batch", store: "Store", clock: "Clock") -> str:
    """Write `batch_ID_TIME.csv`, `.ndjson` and `.json`, and the summary beside them."""
    from sparring.app.report import result_content
    from sparring.app.results import batch_status, iter_results
    from sparring.reports.formats import find
    from sparring.reports.json_report import printed
    from sparring.reports.service_summary import Counting

    now = clock.now()
    name, status = f"{batch.id}_{now:%Y%m%d_%H%M%S}", await batch_status(store, batch)
    for format in ("csv", "ndjson", "json"):
        content = await result_content(batch, store, find(format), now=now, transcripts=True)
        with atomic_file(folder / f"batch_{name}.{format}") as file:
            async for chunk in content:
                file.write(chunk)
    counting = Counting()
    async for each in iter_results(store, batch):
        counting.add(each)
    summary = counting.summary(batch.id, status.total_scenarios, now)
    write_atomically(folder / f"summary_{name}.json", [printed(summary.model_dump(mode="json")).encode(), b"\n"])
    return f"{folder}: batch_{name}.csv, .ndjson and .json, and summary_{name}.json"


def _is_replaceable(target: Path) -> bool:
    """Return True if a file can be replaced atomically, unlike pipes and files in read-only folders."""
    return target.is_file() and os.access(target, os.W_OK) and os.access(target.parent, os.W_OK)


def _put(beside: Path, target: Path) -> None:
    try:
        beside.replace(target)
    except OSError as error:
        if error.errno != EBUSY:
            raise
        copyfile(beside, target)  # a file that is mounted by itself, as into containers, can only be written into
