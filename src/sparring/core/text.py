"""What was probably meant by a name that nobody knows.

What chatbots, users and files say, made fit for a terminal and for the log of a build.
"""

import re
from collections.abc import Iterable

_MANY = 20
_CLOSE = 0.6


def meant(name: str, known: Iterable[str]) -> str:
    """A hint: the closest of the known names, or all of them where none is close, or some where there are many."""
    names = list(known)
    if hint := close(name, names):
        return hint
    if len(names) > _MANY:
        return f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"there are: {', '.join(names) or 'none'}"


def close(name: str, known: Iterable[str]) -> str:
    """A hint: the closest of the known names, if any is close."""
    found = closest(name, known)
    return "" if found is None else f"did you mean {found!r}?"


def closest(name: str, known: Iterable[str], *, cutoff: float = _CLOSE) -> str | None:
    """The closest of the known names, whatever their case, if any is close."""
    from difflib import get_close_matches  # only who misspells pays for it

    lower = {other.lower(): other for other in known}
    found = get_close_matches(name.lower(), lower, n=1, cutoff=cutoff)
    return lower[found[0]] if found else None


_UNSEEN = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f"  # control characters: colours, cursor moves, the clipboard
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls: text that reads differently than it is
    r"\xad\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible, or breaks the line
    r"\U000e0000-\U000e007f\ud800-\udfff]"  # invisible letters, and halves of letters
    # GitHub and Azure take `##[command]` and `##vso[command]` for orders wherever in a line they stand.
    r"|(?<=#)#(?=\w*\[)"
)
_SHORT = {"\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """`text` in one line, in which nothing is hidden and nothing is done by being printed."""
    return _UNSEEN.sub(lambda found: _SHORT.get(found[0]) or _escape(ord(found[0])), text)


def quoted(text: str) -> list[str]:
    """`text` line by line behind a bar, so that none of its lines can pass for one of ours.

    White space alone would not do: GitHub takes an indented `::command::` for an order too.
    """
    return [f"  | {visible(line.removesuffix(chr(13)))}".rstrip() for line in text.split("\n")]


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
