"""Things that are listed in a text: "sprite, coke or water", and lines with a bullet or a number each."""

import re
from collections.abc import Iterator

from sparring.core.value import Json
from sparring.reading.found import Found

_AND = r"(?:and|or|y|e|o|u|и|или)"
_ITEM = r"[^,;:.!?()\n]+?"
_LISTED = re.compile(rf"({_ITEM}(?:,\s*{_ITEM})*),?\s+{_AND}\s+({_ITEM})(?=[,;:.!?()\n]|$)")
_BEFORE = re.compile(
    r"^.*\b(?:are|is|have|has|with|of|includes?|including|offers?|sells?|serves?|like|from|between|for"
    r"|son|es|tenemos|ofrecemos|hay|con|como|entre|есть|это|из|с)\s+",
    re.IGNORECASE,
)
_BULLETS = re.compile(r"^[ \t]*(?:[-*•·]|\d{1,2}[.)])[ \t]+(\S[^\n]*)$", re.MULTILINE)
_LONGEST_LIST = 6
"""An item of more words than this is no item."""

_TOO_LONG = 1_000
"""Nobody lists anything in a sentence of more characters than this."""


def bulleted(text: str) -> bool:
    """Whether there are several lines with a bullet or a number in `text`."""
    return len(_BULLETS.findall(text)) > 1


def listed(text: str) -> Iterator[Found]:
    """The lists in a text, each as a list of its items' words."""
    if bulleted(text):
        yield _lines(list(_BULLETS.finditer(text)))
        return
    for match in _LISTED.finditer(text) if len(text) <= _TOO_LONG else ():
        before = _BEFORE.match(match[1].partition(",")[0])
        start = match.start() + (before.end() if before else len(match[1]) - len(match[1].lstrip()))
        items = [item.strip() for item in (*text[start : match.end(1)].split(","), match[2])]
        if all(0 < len(item.split()) <= _LONGEST_LIST for item in items):
            yield Found(list[Json](items), start, match.end(2))


def _lines(bullets: list[re.Match[str]]) -> Found:
    items = [match[1].strip(" .;,") for match in bullets]
    return Found(list[Json](items), bullets[0].start(1), bullets[-1].start(1) + len(bullets[-1][1].rstrip()))
