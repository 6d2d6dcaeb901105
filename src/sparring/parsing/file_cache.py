"""Which files are read, for those who want to know later whether any of them has changed.

What was read already, for those who come to the same files more than once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.errors import InputError
from sparring.parsing.document import Document

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


MOST = 300_000
"""How many keys and values all files together may have whose contents are remembered."""


@dataclass(slots=True)
class Remembered:
    """How many keys and values may still be read, and what files came to."""

    left: int
    read: dict[Path, Document | InputError] = field(default_factory=dict)


_remembered: ContextVar[Remembered | None] = ContextVar("remembered", default=None)


@contextmanager
def once() -> Iterator[None]:
    """Read each file only once in this block, and no more than `MOST` of all of them. None may change meanwhile."""
    token = _remembered.set(Remembered(MOST))
    try:
        yield
    finally:
        _remembered.reset(token)


def remembered() -> Remembered | None:
    """What was read in this block, if there is one."""
    return _remembered.get()
