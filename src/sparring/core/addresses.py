"""Addresses of stores: files, or databases elsewhere."""

import re
from pathlib import Path

Address = Path | str
"""A file, or the text of a `postgresql://` address."""


def address(written: str | Path) -> Address:
    """Return the parsed address of a store: `sqlite:PATH` and anything but `postgresql://...` is a file."""
    if isinstance(written, Path) or not written.startswith(("postgresql:", "postgres:", "sqlite:")):
        return Path(written)
    return Path(re.sub("^sqlite:(///)?", "", written)) if written.startswith("sqlite:") else written


def shown(address: Address) -> str:
    """Return the address of a store without a password."""
    return re.sub(r"(password=)[^&\s]*", r"\1***", re.sub(r"(://[^:/@\s]*):[^@/]*@", r"\1:***@", str(address)))
