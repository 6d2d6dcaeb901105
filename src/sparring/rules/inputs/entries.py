"""Entries of log files, one at a time: lines, elements of JSON documents, rows, YAML files."""

import csv
import gzip
import re
import zlib
from codecs import iterdecode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from sparring.core.errors import Problem
from sparring.core.text import csv_rows
from sparring.core.value import is_deeper
from sparring.rules.inputs import NotARecording

_LIMIT = 16_000_000
_MAX_DEPTH = 100
_CHUNK = 1_000_000
_BOM = b"\xef\xbb\xbf"
_PACKED = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
YAML, LINES = {".yml", ".yaml"}, {".ndjson", ".jsonl"}
_LISTS = frozenset({"simulations", "tasks", "data", "resourceSpans", "resource_spans", "resourceLogs"})
"""Keys of a document whose lists hold its entries."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A value of a log file with its place; of YAML and protobuf, the bytes of the file.

    `name` is the path of the file as ids show it, `under` the key of the list that the entry stands in, and `head` has
    what the document says before that list.
    """

    value: Any
    file: Path
    name: str = ""
    line: int | None = None
    place: str = ""
    under: str = ""
    head: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Id for a conversation that has none: the line, the place in the document, or the file."""
        return f"line {self.line}" if self.line else self.place or self.name

    def problem(self, message: str, hint: str = "") -> Problem:
        """Return a problem at the place of the entry."""
        return Problem(file=str(self.file), line=self.line, path=self.place, message=message, hint=hint)


def entries(file: Path, name: str) -> Iterator[LogEntry | Problem]:
    """Yield the entries of a file, and a problem for each that cannot be read."""
    suffix = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    try:
        with file.open("rb") as stream:
            packed = stream.read(len(_PACKED)) == _PACKED
        with gzip.open(file) if packed else file.open("rb") as stream:
            for each in _of_stream(stream, suffix):  # type: ignore[arg-type]  # gzip's file is no BinaryIO
                yield _checked(each, file, name)
    except (OSError, EOFError, zlib.error) as error:
        yield Problem(file=str(file), message=f"cannot be read: {error}")
    except (UnicodeDecodeError, csv.Error) as error:
        yield Problem(file=str(file), message=f"is not a table in UTF-8: {error}")


_Found = tuple[Any, int | None, str, str, Mapping[str, Any]]
"""A value or the reason why there is none, its line, its place, the key of its list, and the head of its document."""


def _checked(found: _Found, file: Path, name: str) -> LogEntry | Problem:
    value, line, place, under, head = found
    if isinstance(value, NotARecording):
        return Problem(file=str(file), line=line, path=place, message=str(value))
    return LogEntry(value, file, name, line, place, under, head)


def _of_stream(stream: BinaryIO, suffix: str) -> Iterator[_Found]:
    start = stream.read(2)
    stream.seek(0)
    if start in _UTF_16 and suffix != ".pb":
        yield NotARecording("is in UTF-16: save it in UTF-8"), None, "", "", {}
    elif suffix in YAML or suffix == ".pb":
        content = stream.read(_LIMIT + 1)
        yield (content if len(content) <= _LIMIT else _too_large("the file")), None, "", suffix, {}
    elif suffix == ".csv":
        table = csv_rows(iterdecode(stream, "utf-8-sig"))
        yield from ((row, table.line_num, "", "csv", {}) for row in table)
    elif suffix in LINES or _has_lines(stream):
        yield from _lines(stream)
    else:
        yield from _Document(stream).values()


def _has_lines(stream: BinaryIO) -> bool:
    """Return True if the file has JSON lines; the stream stays at its start."""
    start = stream.read(65_536).removeprefix(_BOM)
    stream.seek(0)
    first, _, rest = start.lstrip().partition(b"\n")
    if not rest.strip():
        return not first.startswith((b"[", b"{"))
    try:
        return isinstance(orjson.loads(first), dict)
    except orjson.JSONDecodeError:
        return not first.startswith((b"[", b"{"))


def _lines(stream: BinaryIO) -> Iterator[_Found]:
    number = 0
    while line := stream.readline(_LIMIT + 1):
        number += 1
        large = len(line) > _LIMIT
        while large and not line.endswith(b"\n"):  # the rest of it is not kept
            line = stream.readline(_CHUNK)
            if not line:
                break
        if large or line.strip():
            yield (_too_large("the line") if large else _loaded(line.removeprefix(_BOM))), number, "", "", {}


def _too_large(what: str) -> NotARecording:
    return NotARecording(f"{what} is longer than {_LIMIT // 1_000_000} MB")


def _loaded(raw: bytes) -> Any:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return NotARecording(f"is not JSON: {error}")
    # Most entries have too few brackets to be deep, and to count them takes no time.
    nested = raw.count(b"{") + raw.count(b"[") > _MAX_DEPTH and is_deeper(value, _MAX_DEPTH)
    return NotARecording("is nested too deeply") if nested else value


_PLAIN = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,:\]}]++")
_SPACE = re.compile(rb"[\s,]*+")
_QUOTE = ord('"')
_BROKEN_OFF = "breaks off in the middle of an entry"


class _Document:
    """A JSON document of any size, of which one value at a time is held."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._at = 0
        self._fill()
        if self._buffer.startswith(_BOM):
            self._at = len(_BOM)

    def values(self) -> Iterator[_Found]:
        """Yield what the top-level values are made of: elements of lists, and objects without such a list."""
        number, broken = 0, None
        try:
            while first := self._peek():
                number += 1
                if first == b"[":
                    yield from self._elements("", {})
                elif first == b"{":
                    yield from self._object(number)
                else:
                    yield _loaded(self._value()), None, f"[{number - 1}]", "", {}
        except NotARecording as error:
            broken = error
        if broken:
            yield broken, None, "", "", {}

    def _object(self, number: int) -> Iterator[_Found]:
        self._at += 1
        head: dict[str, Any] = {}
        size, listed = 0, False
        while (first := self._peek()) != b"}":
            key = _loaded(self._value()) if first == b'"' else None
            if not isinstance(key, str) or self._peek() != b":":
                raise NotARecording("is not JSON")
            self._at += 1
            if self._peek() == b"[" and key in _LISTS:
                listed = True
                yield from self._elements(key, head)
                continue
            raw = self._value()
            size += len(raw)
            if size > _LIMIT:
                raise _too_large("an entry of the file")
            value = _loaded(raw)
            if isinstance(value, NotARecording):
                raise value
            head[key] = value
        self._at += 1
        if not listed:
            yield head, None, "" if number == 1 else f"[{number - 1}]", "", {}

    def _elements(self, under: str, head: Mapping[str, Any]) -> Iterator[_Found]:
        self._at += 1
        number = 0
        while self._peek() != b"]":
            yield _loaded(self._value()), None, f"{under}[{number}]", under, head
            number += 1
        self._at += 1

    def _peek(self) -> bytes:
        """Return the next character that is no space or comma; nothing at the end of the file."""
        while True:
            found = _SPACE.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer):
                return bytes(self._buffer[self._at : self._at + 1])
            if not self._fill():
                return b""

    def _value(self) -> bytes:
        """Return the text of the next value."""
        first = self._peek()
        if first in (b"[", b"{"):
            length = self._container_length()
        else:
            pattern = _STRING if first == b'"' else _SCALAR
            while (found := pattern.match(self._buffer, self._at)) is None or found.end() == len(self._buffer):
                if not self._fill():
                    break
            if found is None:
                raise NotARecording(_BROKEN_OFF if first in (b"", b'"') else "is not JSON")
            length = found.end() - self._at
        self._at += length
        return bytes(self._buffer[self._at - length : self._at])

    def _container_length(self) -> int:
        length = depth = 0
        while True:
            found = _PLAIN.match(self._buffer, self._at + length)
            at = found.end() if found else self._at
            length = at - self._at
            if at == len(self._buffer) or self._buffer[at] == _QUOTE:  # a text that goes on after the buffer
                if not self._fill():
                    raise NotARecording(_BROKEN_OFF)
                continue
            depth += 1 if self._buffer[at] in b"[{" else -1
            length += 1
            if not depth:
                return length

    def _fill(self) -> bool:
        """Read on, and drop what was used; return False at the end of the file."""
        del self._buffer[: self._at]
        self._at = 0
        if len(self._buffer) > _LIMIT:
            raise _too_large("an entry of the file")
        chunk = self._stream.read(_CHUNK)
        self._buffer += chunk
        return bool(chunk)
