"""Names as parts of ids."""

import hashlib
import re

_LONG = 60


def slug(name: str) -> str:
    """A name, short and without anything a shell or a path would stumble over; it may come out empty."""
    short = re.sub(r"[^\w.]+", "-", name).strip("-.")
    if len(short) <= _LONG:
        return short
    return f"{short[:_LONG].strip('-.')}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
