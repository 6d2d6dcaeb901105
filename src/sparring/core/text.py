"""Text helpers: suggestions for unknown names, escapes for untrusted text, and rows of CSV."""

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

_MANY = 20
_CLOSE = 0.6


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint: the closest known name, or all names if none is close, or examples of many."""
    names = list(known)
    if hint := did_you_mean(name, names):
        return hint
    if len(names) > _MANY:
        return f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"there are: {', '.join(names) or 'none'}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the closest known name, or an empty string if none is close."""
    found = closest_name(name, known)
    return "" if found is None else f"did you mean {found!r}?"


def closest_name(name: str, known: Iterable[str], *, cutoff: float = _CLOSE) -> str | None:
    """Return the closest known name, ignoring case, or None if none is close."""
    from difflib import get_close_matches  # slow to import, rarely needed

    lower = {other.lower(): other for other in known}
    found = get_close_matches(name.lower(), lower, n=1, cutoff=cutoff)
    return lower[found[0]] if found else None


def closest_file(path: Path) -> str:
    """Return a hint with the closest name in the folder of a missing file, or an empty string."""
    with suppress(OSError):
        beside = [each for each in path.parent.iterdir() if closest_name(path.stem, [each.stem])]
        found = closest_name(path.name, [each.name for each in beside], cutoff=0)
        return f"did you mean {found!r}?" if found else ""
    return ""


_THOUGHTS = re.compile(
    r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)|\A(?:(?!<think).)*</think>", re.DOTALL | re.IGNORECASE
)


def without_thoughts(text: str) -> str:
    """Return a text without what a model thought in it; some servers leave out the first or the last tag."""
    return _THOUGHTS.sub("", text) if _THOUGHTS.search(text) else text


_UNSAFE = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f"  # control characters: colours, cursor moves, the clipboard
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls: they reorder the displayed text
    r"\xad\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible, or breaks the line
    r"\U000e0000-\U000e007f\ud800-\udfff]"  # invisible letters, and halves of letters
    # GitHub and Azure obey `##[command]` and `##vso[command]` anywhere in a line.
    r"|(?<=#)#(?=\w*\[)"
)
_SHORT = {"\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """Return `text` in one line with control and invisible characters escaped."""
    return _UNSAFE.sub(lambda found: _SHORT.get(found[0]) or _escape(ord(found[0])), text)


def cut_at_word(text: str, most: int) -> str:
    """Return a text, cut between words if it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0] or text[:most]} …"


def quoted(text: str) -> list[str]:
    """Return the lines of `text`, each behind a bar, so that none is mistaken for Sparring's own output.

    Indentation alone is not enough: GitHub obeys indented `::command::` lines.
    """
    return [f"  | {visible(line.removesuffix(chr(13)))}".rstrip() for line in text.split("\n")]


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_SEPARATORS = ",;\t"


def csv_rows(lines: Iterable[str]) -> "csv.DictReader[str]":
    """Return a reader of the rows of a table by column.

    Commas separate columns, or semicolons or tabs if the header has more of them. Cells beyond the columns are under an
    empty name.
    """
    rest: Iterator[str] = iter(lines)
    header = next(rest, "")
    separator = max(_SEPARATORS, key=header.count)
    return csv.DictReader(chain([header], rest), restkey="", delimiter=separator)
