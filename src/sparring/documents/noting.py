"""Which files are read, for those who want to know later whether any of them has changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_noted: ContextVar[dict[Path, None] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[dict[Path, None]]:
    """Note every file that people write and that is read inside this block, in order."""
    files: dict[Path, None] = {}
    token = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(token)


def note(path: Path | str) -> None:
    """A file is read."""
    if (files := _noted.get()) is not None:
        files[Path(path)] = None
