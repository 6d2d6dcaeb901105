"""What an output may take the place of, and how: an earlier one of its own kind, and nothing else that somebody has."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EBUSY
from pathlib import Path
from shutil import copyfile
from stat import S_IMODE
from typing import BinaryIO

from sparring.core.errors import InputError
from sparring.core.seeding import unique_id

_READ = 65_536
"""Bytes in which an opening must be: names of batches stand in some, and may be long."""

JUNIT = (
    rb'<\?xml version="1\.0" encoding="UTF-8"\?>\n'
    rb'<testsuites (name="[^"]*" )?tests="\d+" failures="\d+" errors="\d+" skipped="\d+"[ />]'
)
CONVERSATIONS = rb'\{"case":\{"id":'
STATISTICS_JSON = rb'\{\n  "batch_id": "[^"]*",\n  "total_scenarios": '
STATISTICS_CSV = rb'"session_id","scenario","score","total_turns",'
EXPERIMENTS = rb"# Experiments\n\nWritten \d{4}-"
PICTURE = rb"(\x89PNG|<\?xml|%PDF).*[Mm]atplotlib"


def refuse(path: Path, *openings: bytes) -> None:
    """An InputError where there is a file with something in it that begins like none of these."""
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            start = file.read(_READ)
    except OSError as error:
        raise InputError(f"{path}: is there already, and cannot be read: {error.strerror}") from error
    if start and not any(re.match(opening, start, re.DOTALL) for opening in openings):
        raise InputError(
            f"{path}: is there already, and is nothing of the kind that is to be written: it is not written over",
            hint="give another name, or move that file away",
        )


def over(*openings: bytes) -> Callable[[Path | None], Path | None]:
    """What an option makes of the file to write: it is refused before anything is done where it would replace what
    begins otherwise."""

    def checked(path: Path | None) -> Path | None:
        if path is not None:
            refuse(path, *openings)
        return path

    return checked


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of an earlier one at its end: where it does not come to that, such as on a
    full disk, the earlier one stays. An InputError says what is wrong.
    """
    try:
        target = path.resolve()  # what a link leads to is replaced, not the link
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not _replaceable(target):
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


def _replaceable(target: Path) -> bool:
    """Whether another file may take the place of this one: a pipe or a device has none, and some folders are closed."""
    return target.is_file() and os.access(target, os.W_OK) and os.access(target.parent, os.W_OK)


def _put(beside: Path, target: Path) -> None:
    try:
        beside.replace(target)
    except OSError as error:
        if error.errno != EBUSY:
            raise
        copyfile(beside, target)  # a file that is mounted by itself, as into containers, can only be written into
