"""Source files that the current task reads: their names, and a cache of their contents.

The names allow a resumed batch to detect changes. One context variable holds both, because the readers are called from
below scenario kinds, rules and presets.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sparring.core.errors import InputError
from sparring.parsing.document import Document

MOST = 300_000
"""Number of keys and values that all cached files together may have."""


@dataclass(slots=True)
class Remembered:
    """Number of keys and values that may still be read, and the contents of files by path."""

    left: int
    read: dict[Path, Document | InputError] = field(default_factory=dict)


class SourceFiles(NamedTuple):
    """The files read in a block (`noted`), and the cache of their contents; each is optional."""

    noted: dict[Path, None] | None = None
    cache: Remembered | None = None


_source_files: ContextVar[SourceFiles] = ContextVar("source_files", default=SourceFiles())  # noqa: B039  frozen


@contextmanager
def noting() -> Iterator[dict[Path, None]]:
    """Note every source file that is read inside this block, in order."""
    files: dict[Path, None] = {}
    token = _source_files.set(_source_files.get()._replace(noted=files))
    try:
        yield files
    finally:
        _source_files.reset(token)


def note(path: Path | str) -> None:
    """Note that a file is read."""
    if (files := _source_files.get().noted) is not None:
        files[Path(path)] = None


@contextmanager
def once() -> Iterator[None]:
    """Read each file once inside this block, and at most `MOST` values of all files together.

    Files must not change in the meantime.
    """
    token = _source_files.set(_source_files.get()._replace(cache=Remembered(MOST)))
    try:
        yield
    finally:
        _source_files.reset(token)


def remembered() -> Remembered | None:
    """Return the cache of this block, if there is one."""
    return _source_files.get().cache
