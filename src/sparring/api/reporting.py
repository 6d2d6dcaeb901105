"""A batch in a file, in the format that its suffix names."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from sparring.api.stores import StorePlace
from sparring.app.report import written_report
from sparring.core.checks import Gate
from sparring.core.errors import InputError
from sparring.reports.formats import ReportFormat, for_file, named


async def written(
    place: StorePlace, batch: str, path: Path, *, format: str | None = None, gate: Gate | None = None
) -> Path:
    """Write a report of a batch into `path`, with its folder, and return the path."""
    wanted = named(format, _of_batches) if format else for_file(path, _of_batches)
    async with place.open() as store:
        _, [content] = await written_report(await store.head(batch), store, [wanted], now=datetime.now(UTC), gate=gate)
        await _write(path, content)
    return path


def _of_batches(format: ReportFormat) -> bool:
    return format.of_batches


async def _write(path: Path, content: AsyncIterator[bytes]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            async for piece in content:
                file.write(piece)
    except OSError as error:
        raise InputError(f"the report cannot be written: {path}: {error.strerror}") from error
