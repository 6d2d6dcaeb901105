"""Files that a file names: in its own folder, or in one above it.

Names as parts of ids.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

_FOLDERS_UP = 4


def folders(file: Path) -> Iterator[Path]:
    """The folder of a file, and some above it, the nearest first."""
    yield file.parent
    yield from list(file.resolve().parent.parents)[:_FOLDERS_UP]


def holder(file: Path, written: Path) -> Path | None:
    """The nearest of these folders that holds the path `written` in a file; none for a path that leads out of them."""
    if not descends(written):
        return None
    return next((folder for folder in folders(file) if _holds(folder, written)), None)


def nearby(file: Path, written: Path) -> Path | None:
    """The nearest file at the path that is `written` in another file."""
    folder = holder(file, written)
    return None if folder is None else folder / written


def descends(written: Path) -> bool:
    """Whether a path names something, and goes down only."""
    return not written.is_absolute() and bool(written.name) and ".." not in written.parts


def _holds(folder: Path, written: Path) -> bool:
    """Whether a file is there, and really is: a link may lead out of the folder."""
    path = folder / written
    # os.path takes names that are too long, or no names at all, for what is not there.
    return os.path.isfile(path) and path.resolve().is_relative_to(folder.resolve())


_LONG = 60


def stem(file: Path) -> str:
    """What the ids of a file's cases begin with: its name, if that is all letters of any script, digits, `_-.` and
    blanks. Ids are printed where a terminal or a CI service may take other characters for commands.
    """
    plain = all(char in "_-. " or unicodedata.category(char)[0] in "LMN" for char in file.stem)
    return file.stem if plain else slug(file.stem) or "file"


def slug(name: str) -> str:
    """A name, short and without anything a shell or a path would stumble over; it may come out empty."""
    short = re.sub(r"[^\w.]+", "-", name).strip("-.")
    if len(short) <= _LONG:
        return short
    return f"{short[:_LONG].strip('-.')}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
