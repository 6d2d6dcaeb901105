"""The line a problem is in, with a caret under its place."""

import re
from functools import lru_cache
from pathlib import Path

from sparring.core.errors import Problem

_WIDEST = 160
_THING = re.compile(r"conv\[\d*\](?:\.\w+)?|\.?\w+|.")


def excerpt(problem: Problem, written: str = "") -> list[str]:
    """The line and the caret, or nothing if the line is not to be had; `written` stands in for a file that is none."""
    if not problem.line or not problem.column:
        return []
    lines = _lines(problem.file) or (written,)
    if problem.line > len(lines):
        return []
    line, start = lines[problem.line - 1], problem.column - 1
    if not line.strip() or start > len(line) or start > _WIDEST:
        return []
    thing = _THING.match(line, start)
    shown = line[:_WIDEST]
    return [shown, " " * start + "^" * max(min(thing.end() if thing else 0, len(shown)) - start, 1)]


@lru_cache(maxsize=64)
def _lines(file: str) -> tuple[str, ...]:
    path = Path(file)
    if not path.is_file():
        return ()
    return tuple(path.read_text("utf-8-sig", errors="replace").replace("\t", " ").splitlines())
