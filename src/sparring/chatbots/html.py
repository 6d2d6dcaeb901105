"""Parser for replies in HTML: text without tags, and images and links as parts of their own.

Broken HTML is read in one pass; Python's own parser goes back to every tag that is never closed.
"""

import re
from collections.abc import Iterator
from html import unescape

from sparring.core.message import Image, Link, Part, Text

_BREAKS = {"p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"}
_MARKUP = re.compile(
    r"""
      <!--.*?(?:-->|\Z)                                             # a comment
    | <(?P<unsaid>script|style)\b[^<>]*+>.*?(?:</(?P=unsaid)\s*+>|\Z)
    | <(?P<end>/?)(?P<name>[a-z][^\s/<>"']*+)(?P<attributes>(?:[^<>"']|"[^"]*+"|'[^']*+')*+)>
    | <[!?][^<>]*+>
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?""")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});?", re.IGNORECASE)


def parts_of_html(html: str) -> list[Part]:
    """Return the text of a piece of HTML, then its images and links."""
    if "<" not in html and "&" not in html:
        return [Text(text=html)]
    reader = _Reader()
    reader.read(html)
    lines = [" ".join(line.split()) for line in "".join(reader.words).splitlines()]
    words = "\n".join(line for line in lines if line)
    return [*([Text(text=words)] if words else []), *reader.parts]


class _Reader:
    """Collects text and addresses. Taskyto writes `<image>address</image>`, others `<img src>`."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.parts: list[Part] = []
        self._open = ""
        self._address = ""
        self._inner: list[str] = []

    def read(self, html: str) -> None:
        at = 0
        for found in _MARKUP.finditer(html):
            self._say(html[at : found.start()])
            at = found.end()
            name = (found["name"] or "").lower()
            if name in _BREAKS:
                self.words.append("\n")
            elif name and found["end"]:
                self._close(name)
            elif name:
                self._begin(name, dict(_attributes(found["attributes"])))
        self._say(html[at:])

    def _say(self, text: str) -> None:
        text = _plain(text)
        if self._open:
            self._inner.append(text)
        if self._open != "image":
            self.words.append(text)

    def _begin(self, name: str, given: dict[str, str]) -> None:
        if name == "img" and given.get("src"):
            self.parts.append(Image(url=given["src"], alt=given.get("alt", "")))
        elif name in ("a", "image"):
            self._open, self._address, self._inner = name, given.get("href", ""), []

    def _close(self, name: str) -> None:
        if self._open != name:
            return
        self._open, inner = "", " ".join("".join(self._inner).split())
        if name == "image" and inner:
            self.parts.append(Image(url=inner))
        elif name == "a" and self._address:
            self.parts.append(Link(url=self._address, title=inner))


def _attributes(written: str) -> Iterator[tuple[str, str]]:
    for name, *values in _ATTRIBUTE.findall(written):
        yield name.lower(), _plain("".join(values))


def _plain(text: str) -> str:
    """Return text with entities replaced by their characters."""
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text)
