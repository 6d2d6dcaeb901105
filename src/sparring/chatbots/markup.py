"""Chatbots that answer in HTML: the words without tags, and images and links as parts of their own."""

from html.parser import HTMLParser

from sparring.core.message import Image, Link, Part, Text

_BREAKS = {"p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"}
_UNSAID = {"script", "style"}


def parts_of_html(html: str) -> list[Part]:
    """The words of a piece of HTML, then the images and links in it."""
    if "<" not in html and "&" not in html:
        return [Text(text=html)]
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = [" ".join(line.split()) for line in "".join(reader.words).splitlines()]
    words = "\n".join(line for line in lines if line)
    return [*([Text(text=words)] if words else []), *reader.parts]


class _Reader(HTMLParser):
    """Collects words and addresses. Taskyto writes an image as `<image>address</image>`, others as `<img src>`."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.parts: list[Part] = []
        self._open: list[tuple[str, str]] = []
        self._inner: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _BREAKS:
            self.words.append("\n")
        elif tag == "img" and given.get("src"):
            self.parts.append(Image(url=given["src"], alt=given.get("alt", "")))
        elif tag in ("a", "image") or tag in _UNSAID:
            self._open, self._inner = [(tag, given.get("href", ""))], []

    def handle_data(self, data: str) -> None:
        tag = self._open[0][0] if self._open else ""
        if tag in ("a", "image"):
            self._inner.append(data)
        if tag != "image" and tag not in _UNSAID:
            self.words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS:
            self.words.append("\n")
        if not self._open or self._open[0][0] != tag:
            return
        (_, address), inner = self._open.pop(), " ".join("".join(self._inner).split())
        if tag == "image" and inner:
            self.parts.append(Image(url=inner))
        elif tag == "a" and address:
            self.parts.append(Link(url=address, title=inner))
