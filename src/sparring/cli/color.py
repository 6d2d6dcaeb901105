"""Colors of lines by the sign they begin with, and ASCII signs for output that is not UTF-8."""

import codecs
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

MODES = ("auto", "always", "never")

_VARIABLES = ("FORCE_COLOR", "NO_COLOR")
_COLORS = {"✓": "32", "✗": "31", "?": "33", "–": "90", "◌": "34", "error:": "31", "warning:": "33", "hint:": "36"}
_COLORS |= {"PASSED": "32", "FAILED": "31", "VIOLATED": "31", "INVALID": "31", "ERROR": "31", "UNDECIDED": "33"}
_COLORS |= {"STOPPED": "33", "INCONCLUSIVE": "33", "warn": "33", "ok": "32", "WORSE": "31", "BETTER": "32"}
_COLORS |= {"passed": "32", "failed": "31", "undecided": "33", "void": "90"}
_BEGINNING = re.compile(
    r"^(\s*(?:- |Gate: )?)((?:[✓✗?–◌](?=\s|$)(?: [A-Z][A-Z ]+(?=:))?)|(?:error|warning|hint):"
    r"|(?:ok|warn|[A-Z]{5,12})\b|(?:passed|failed|undecided|void)(?=,|$))"
)
_PLAIN = {"✓": "+", "✗": "x", "–": "-", "·": ".", "◌": "o", "…": "...", "“": '"', "”": '"', "→": "->", "×": "x"}
_PLAIN |= {"−": "-", "█": "#", "░": "-"}


def without_color(arguments: list[str]) -> tuple[list[str], str]:
    """Return the arguments without `--color`, and its value."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    others, mode, words = list[str](), "auto", iter(arguments[:end])
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--color":
            mode = value if equals else next(words, "")
        else:
            others.append(word)
    return [*others, *arguments[end:]], mode


@contextmanager
def coloring(mode: str) -> Iterator[None]:
    """Let the environment force colors on or off inside the block."""
    kept = {name: os.environ.pop(name, None) for name in _VARIABLES} if mode != "auto" else {}
    if mode != "auto":
        os.environ[_VARIABLES[mode == "never"]] = "1"
    try:
        yield
    finally:
        for name, old in kept.items():
            os.environ.pop(name, None)
            if old is not None:
                os.environ[name] = old


def colored(stream: TextIO) -> bool:
    """Return True if a stream supports colors; see no-color.org and force-color.org."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def painted(line: str, stream: TextIO, color: str = "") -> str:
    """Return a line in a color, by default that of the sign or word at its start."""
    if not colored(stream):
        return line
    if color:
        return f"\x1b[{color}m{line}\x1b[0m"
    return _BEGINNING.sub(_painted, line, 1)


def _painted(found: re.Match[str]) -> str:
    color = _COLORS.get(found[2].split(" ")[0])
    return f"{found[1]}\x1b[{color}m{found[2]}\x1b[0m" if color else found[0]


def plain_signs() -> None:
    """Print signs that an encoding other than UTF-8 lacks as ASCII, and any other letter as `\\uXXXX`."""
    codecs.register_error("sparring", _plain)
    for stream in (sys.stdout, sys.stderr):
        if (stream.encoding or "").lower().replace("-", "") != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="sparring")


def _plain(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    letters = error.object[error.start : error.end]
    return "".join(_PLAIN.get(each) or json.dumps(each)[1:-1] for each in letters), error.end
