"""Files that a file names: in its own folder, or in one above it."""

from collections.abc import Iterator
from pathlib import Path

_FOLDERS_UP = 4


def folders(file: Path) -> Iterator[Path]:
    """The folder of a file, and some above it, the nearest first."""
    yield file.parent
    yield from list(file.resolve().parent.parents)[:_FOLDERS_UP]


def nearby(file: Path, written: Path) -> Path | None:
    """The nearest file at the path that is `written` in another file; never one at an absolute path."""
    if written.is_absolute() or not written.name:
        return None
    return next((folder / written for folder in folders(file) if (folder / written).is_file()), None)
