"""Files that another file names, in its own folder or in one above it; and names as parts of case ids."""

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

_FOLDERS_UP = 4


def folders(file: Path) -> Iterator[Path]:
    """Yield the folder of a file and some above it, the nearest first."""
    yield file.parent
    yield from list(file.resolve().parent.parents)[:_FOLDERS_UP]


def find_folder(file: Path, written: Path) -> Path | None:
    """Return the nearest of these folders that contains `written`; None if the path leads out of them."""
    if not descends(written):
        return None
    return next((folder for folder in folders(file) if _holds(folder, written)), None)


def find_nearby(file: Path, written: Path) -> Path | None:
    """Return the nearest file at the path that is `written` in another file."""
    folder = find_folder(file, written)
    return None if folder is None else folder / written


def descends(written: Path) -> bool:
    """Return True if a path has a name and only goes down."""
    return not written.is_absolute() and bool(written.name) and ".." not in written.parts


def _holds(folder: Path, written: Path) -> bool:
    """Return True if the folder really contains the file: a link may lead out of it."""
    path = folder / written
    # os.path takes names that are too long, or no names at all, for what is not there.
    return os.path.isfile(path) and path.resolve().is_relative_to(folder.resolve())


_LONG = 60


def stem(file: Path) -> str:
    """Return the prefix of the ids of a file's cases.

    It is the name of the file if that consists of letters of any script, digits, `_-.` and blanks. Terminals and CI
    services may execute other characters in printed ids.
    """
    plain = all(char in "_-. " or unicodedata.category(char)[0] in "LMN" for char in file.stem)
    return file.stem if plain else slug(file.stem) or "file"


def slug(name: str) -> str:
    """Return a short name without characters that are special in a shell or a path; it may be empty."""
    short = re.sub(r"[^\w.]+", "-", name).strip("-.")
    if len(short) <= _LONG:
        return short
    return f"{short[:_LONG].strip('-.')}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
