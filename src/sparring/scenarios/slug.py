"""Names as parts of ids."""

import hashlib
import re
import unicodedata
from pathlib import Path

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
