"""Regular expressions that are compiled by `re` only once a text may match, or many were searched.

RE2 compiles in a tenth of the time, but is slower on short texts, which are new again and again.
"""

import re
from collections.abc import Callable, Iterator

import re2

from sparring.parsing.regex import options

MEMORY = 32 << 20
"""Bytes of the states of RE2: with too few, it finds nothing."""

OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]|[\ud800-\udfff]")
"""Letters and digits that RE2 does not know as such."""

_OTHER_SPACE = re.compile(r"[\x0b\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|\n\Z")
"""Spaces that RE2 does not know as such, and a line break before which `$` matches."""

_SEARCHES = 40
"""Searches after which a pattern is compiled, because `re` is faster then."""

_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_WORD_START = r"(?<!\w)"


def linear_search(pattern: str) -> Callable[[str], object] | None:
    """Return a search by RE2 that finds what `re` finds in plain text; None if it lacks the syntax."""
    if pattern.startswith(_WORD_START):
        pattern = rf"(?:^|\W){pattern.removeprefix(_WORD_START)}"
    if _LOOKAROUND.search(pattern):
        return None
    found = re2.Set.SearchSet(options(max_mem=MEMORY))
    try:
        found.Add(pattern)
        found.Compile()
    except re2.error:
        return None
    search: Callable[[str], object] = found.Match
    return search


def is_plain(text: str) -> bool:
    """Return True if RE2 knows all letters and spaces of a text."""
    if text.isascii() and text.isprintable():
        return True
    return not (OTHER_LETTER.search(text) or _OTHER_SPACE.search(text))


class TextPattern:
    """A regular expression. RE2 rejects the first plain texts, so that a short run compiles few."""

    __slots__ = ("_compiled", "_left", "_may_match", "pattern")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._compiled: re.Pattern[str] | None = None
        self._left = _SEARCHES
        self._may_match: Callable[[str], object] | None = self._first

    def _first(self, text: str) -> object:
        """Prepare the search by RE2 at the first plain text."""
        self._may_match = linear_search(self.pattern)
        return self._may_match is None or self._may_match(text)

    @property
    def compiled(self) -> re.Pattern[str]:
        """The expression compiled by `re`."""
        if self._compiled is None:
            self._compiled = re.compile(self.pattern)
        return self._compiled

    def _rejects(self, text: str) -> bool:
        if not self._left:
            return False
        self._left -= 1
        return self._may_match is not None and is_plain(text) and not self._may_match(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Search like `re.Pattern.search`."""
        return None if self._rejects(text) else self.compiled.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Match like `re.Pattern.match`."""
        return None if self._rejects(text) else self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match like `re.Pattern.fullmatch`."""
        return None if self._rejects(text) else self.compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find like `re.Pattern.finditer`."""
        return iter(()) if self._rejects(text) else self.compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        """Find like `re.Pattern.findall`, for patterns with at most one group."""
        return [] if self._rejects(text) else self.compiled.findall(text)

    def sub(self, replacement: str, text: str) -> str:
        """Replace like `re.Pattern.sub`."""
        return text if self._rejects(text) else self.compiled.sub(replacement, text)

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        """Split like `re.Pattern.split`, for patterns without groups."""
        return [text] if self._rejects(text) else self.compiled.split(text, maxsplit)
