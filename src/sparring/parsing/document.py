"""Parsed documents: data together with the position of every value and key; and a cache of files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sparring.core.errors import InputError, Problem

Data: TypeAlias = "bool | int | float | str | date | list[Data] | dict[str, Data] | None"
KeyPath: TypeAlias = tuple[str | int, ...]

MAX_PROBLEMS = 100
"""Maximum number of problems reported for one file."""


@dataclass(slots=True)
class Node:
    """A value with its position, the positions of its keys, and the number of values in it."""

    data: Data
    place: tuple[int, int]
    children: dict[str | int, "Node"] = field(default_factory=dict)
    keys: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    size: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """Data of a file with positions. Keys of mappings are always text."""

    file: str
    data: Data
    root: Node = field(repr=False, compare=False)

    def place(self, path: KeyPath, *, key: bool = False) -> tuple[int, int]:
        """Return line and column, from 1, of a value or its key, or of the nearest enclosing value."""
        node, place = self.root, self.root.place
        for step in path:
            if step not in node.children:
                return node.place
            parent, node = node, node.children[step]
            place = parent.keys.get(step, node.place) if key else node.place
        return place

    def problem(self, path: KeyPath, message: str, hint: str = "", *, key: bool = False) -> Problem:
        """Return a problem at `path`."""
        line, column = self.place(path, key=key)
        return Problem(
            file=self.file, line=line or None, column=column or None, path=written(path), message=message, hint=hint
        )


def unplaced(data: Data, file: str) -> Document:
    """Return a document for data without a file; its problems have a path, but no line."""
    return Document(file, data, Node(data, (0, 0)))


def shortened(problems: Sequence[Problem], number: int = 0, *, least: bool = False) -> list[Problem]:
    """Return the first problems and a last one that counts the rest.

    `number` is the total if `problems` is incomplete; with `least`, it is a lower bound.
    """
    more = max(number, len(problems)) - MAX_PROBLEMS
    if more <= 0:
        return list(problems)
    return [
        *problems[:MAX_PROBLEMS],
        Problem(file=problems[0].file, message=f"and {'at least ' if least else ''}{more:,} more"),
    ]


def written(path: KeyPath) -> str:
    """Return a path as text: `user.goals[1].size`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


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
