"""Names that complete a word of a command line.

Imports only what a lookup needs, since a person waits.
"""

import os
import re
from collections.abc import Iterator
from glob import glob
from pathlib import Path

_GROUPS = {
    "chatbot": ("chatbots", ()),
    "model": ("models", ("offline",)),
    "user": ("users", ()),
    "reader": ("readers", ("auto",)),
    "judge": ("judges", ("none",)),
}
"""Entry points that complete a role, and further names."""

_FILES = {
    "http": (".yaml", ".yml", "/"),
    "websocket": (".yaml", ".yml", "/"),
    "command": ("",),
    "prompted": ("/",),
    "python": (".py", "/"),
}
"""How the files and folders end that a chatbot's argument may name."""

Named = tuple[str, str]
"""A candidate and its description."""


def players(role: str, beginning: str) -> Iterator[Named]:
    """Yield names of players of a role, those that take an argument with a colon, and files after it."""
    kind, colon, start = beginning.partition(":")
    if colon:
        yield from ((f"{kind}:{path}", "") for path in _paths(start) if path.endswith(_FILES.get(kind, ())))
        return
    from importlib.metadata import entry_points  # slower than everything else here

    group, others = _GROUPS[role]
    yield from ((name, "") for name in others)
    for entry in sorted(entry_points(group=f"sparring.{group}"), key=lambda each: each.name):
        connects = role in ("chatbot", "model") and entry.module.startswith("sparring.")
        yield f"{entry.name}:" if connects else entry.name, ""


def batches(store: Path) -> Iterator[Named]:
    """Yield `latest`, the names of the newest batches, and their ids."""
    from sparring.store.sqlite.references import batches

    found = batches(store)
    yield "latest", "the newest batch"
    yield from ((name, "") for name in dict.fromkeys(name for _, name in found if name))
    yield from found


def conversations(store: Path, batch: str, beginning: str) -> Iterator[Named]:
    """Yield conversations of a batch with their outcomes."""
    from sparring.store.sqlite.references import conversations

    yield from conversations(store, batch, beginning)


def store_file() -> Path:
    """Return the database file that the environment or sparring.yaml names."""
    if named := os.environ.get("SPARRING_STORE"):
        return Path(named)
    try:
        text = Path("sparring.yaml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    found = re.search(r"""^store:[ \t]*["']?([^\s"'#]+)""", text, re.MULTILINE)
    return Path(found[1] if found else ".sparring/sparring.db")


def _paths(start: str) -> Iterator[str]:
    """Yield the paths that begin so, folders with a slash."""
    yield from (f"{path}/" if os.path.isdir(path) else path for path in sorted(glob(f"{start}*")))
