"""Writes a batch as logs of Inspect's."""

from collections.abc import AsyncIterable, Sequence
from pathlib import Path
from typing import Literal

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Verdict
from sparring.inspecting.extra import needed

MOST = 250
"""Samples in a log: Inspect builds a log in memory and writes it as a whole."""

Judged = tuple[Conversation, Sequence[Verdict]]


async def export(
    batch: Batch,
    judged: AsyncIterable[Judged],
    folder: Path,
    *,
    suffix: Literal["eval", "json"] = "eval",
    complete: bool = True,
    most: int = MOST,
) -> list[Path]:
    """Write all conversations of a batch, with the verdicts about them, into as many logs as it takes; their paths.

    The same batch is written into the same files again. `complete` says that nothing is missing that was planned.
    """
    needed("a log of Inspect's")
    written: list[Path] = []
    part: list[Judged] = []
    async for each in judged:
        part.append(each)
        if len(part) == most:
            written.append(await _write(batch, part, folder, len(written) + 1, suffix, complete))
            part = []
    if part or not written:
        written.append(await _write(batch, part, folder, len(written) + 1, suffix, complete))
    return written


async def _write(
    batch: Batch, part: Sequence[Judged], folder: Path, number: int, suffix: Literal["eval", "json"], complete: bool
) -> Path:
    from inspect_ai.log import write_eval_log_async

    from sparring.inspecting.logs import file_name, log_of
    from sparring.inspecting.samples import sample_of

    samples = [sample_of(batch, conversation, verdicts) for conversation, verdicts in part]
    path = folder / file_name(batch, number, suffix)
    try:
        await write_eval_log_async(log_of(batch, samples, part=number, complete=complete), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    return path
