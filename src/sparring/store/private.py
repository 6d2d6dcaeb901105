"""Files for their owner alone: what people and chatbots said is in them. What is there already stays as it is."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700


def opener(path: str, flags: int) -> int:
    """For `open`: a file that it makes is its owner's."""
    return os.open(path, flags, FILE)


def make_empty(path: Path) -> None:
    """Make an empty file where there is none, as far as the disk knows owners and links; SQLite's others follow it.

    It is made beside and linked: to close a file here would take away the locks that SQLite has on it by then.
    """
    if path.exists():
        return
    beside = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    with suppress(OSError):
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
        try:
            os.link(beside, path)
        finally:
            beside.unlink()
