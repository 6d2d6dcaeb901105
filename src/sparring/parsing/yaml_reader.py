"""Reader of a safe subset of YAML 1.2: no tags, few aliases, one document, no duplicate keys."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from math import isfinite
from pathlib import Path
from typing import NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StreamMark, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from sparring.core.errors import InputError, Problem
from sparring.core.text import closest_file
from sparring.parsing.document import Data, Document, Node, note, remembered, shortened

MAX_BYTES = 1_000_000
MAX_DEPTH = 50
MAX_ALIASES = 50
MAX_ALIASED = 10_000
MAX_VALUES = 100_000
MAX_SIGN = 1000

_HINTS = {
    r"'\t'": "indent with spaces, not tabs",
    "mapping values are not allowed": "quote a text that contains a colon and a space",
    "expected alphabetic or numeric": "quote a text that begins with *, & or [",
}
"""Hints for frequent mistakes, by a part of the parser's message."""

_NULL = re.compile(r"null|Null|NULL|~|")
_BOOL = re.compile(r"(true|True|TRUE)|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,300}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONG_SIGN = re.compile(rf"(?:(?<=[\s\[{{,:-])|(?<![\s\S]))[!&*][^\s\"']{{{MAX_SIGN}}}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def load(path: Path | str) -> Document:
    """Read a YAML file. Raise InputError with all its problems."""
    note(path)
    known = remembered()
    if known is None:
        return parse(read_text(path), str(path))
    key = Path(path).absolute()
    if key not in known.read:
        try:
            known.read[key] = parse(read_text(path), str(path))
        except InputError as error:
            known.read[key] = error
    found = known.read[key]
    if isinstance(found, InputError):
        raise found
    return replace(found, file=str(path))


def read_text(path: Path | str, *, most: int = MAX_BYTES) -> str:
    """Return the text of a UTF-8 file of at most `most` bytes. Raise InputError if it cannot be read."""
    file = str(path)
    try:
        with open(path, "rb") as stream:
            content = stream.read(most + 1)
    except FileNotFoundError as error:
        raise InputError(Problem(file=file, message="there is no such file", hint=closest_file(Path(path)))) from error
    except OSError as error:
        raise InputError(Problem(file=file, message=f"cannot be read: {error.strerror}")) from error
    _check_size(content, file, most)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(Problem(file=file, line=line, message="is not UTF-8 text")) from error


def parse(text: str, file: str = "") -> Document:
    """Parse YAML text. `file` is the name used in problems."""
    _check_size(text.encode("utf-8", "surrogatepass"), file, MAX_BYTES)
    reading = _YamlReader(file)
    root = reading.read(text)
    if root is None or reading.problems:
        raise InputError(shortened(reading.problems))
    return Document(file, root.data, root)


def _check_size(content: bytes, file: str, most: int) -> None:
    if len(content) > most:
        raise InputError(Problem(file=file, message=f"is larger than {most:,} bytes"))


class _Stop(Exception):
    """Ends parsing, because further problems would only follow from the last one."""


class _YamlReader:
    """One pass over the events of a text. Recoverable problems are collected, others end the pass."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._anchors: dict[str, Node | None] = {}
        self._known = remembered()
        self._left = MAX_VALUES
        self._aliases = 0
        self._aliased = 0

    def read(self, text: str) -> Node | None:
        root = None
        try:
            self._look(text)
            events = self._counted(YAML(typ="safe", pure=True).parse(text))
            for event in events:
                if isinstance(event, DocumentStartEvent) and root is not None:
                    self._stop(event.start_mark, "expected one document, got a second one")
                if isinstance(event, NodeEvent):
                    root = self._node(event, events, 0)
        except _Stop:
            return None
        except MarkedYAMLError as error:
            problem = str(error.problem or error.context)
            hint = next((hint for sign, hint in _HINTS.items() if sign in problem), "")
            self._note(error.problem_mark or error.context_mark, f"is not YAML: {problem}", hint)
        except YAMLError as error:
            self.problems.append(Problem(file=self.file, message=f"is not YAML: {str(error).splitlines()[0]}"))
        return root or Node(None, (1, 1))

    def _look(self, text: str) -> None:
        """Stop at long signs, which are slow to parse and meaningless here."""
        if found := _LONG_SIGN.search(text):
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            what = f"begins with {found[0][0]} and has more than {MAX_SIGN:,} characters"
            self.problems.append(
                Problem(file=self.file, line=line, column=column, message=what, hint="put it in quotes")
            )
            raise _Stop

    def _counted(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, NodeEvent):
                self._left -= 1
                if self._left < 0:
                    self._stop(event.start_mark, f"has more than {MAX_VALUES:,} keys and values", "split the file")
                if self._known is not None:
                    self._known.left -= 1
                    if self._known.left < 0:
                        self._stop(event.start_mark, "all files together have too many keys and values", "use fewer")
            yield event

    def _node(self, event: NodeEvent, events: Iterator[Event], depth: int) -> Node:
        if depth > MAX_DEPTH:
            self._stop(event.start_mark, f"is nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, AliasEvent):
            return self._alias(event)
        if isinstance(event, ScalarEvent | CollectionStartEvent) and event.ctag is not None:
            self._note(event.start_mark, f"tags such as {str(event.ctag)[:40]} are not supported")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        node = Node(None, _place(event.start_mark))
        if isinstance(event, MappingStartEvent):
            self._mapping(node, events, depth)
        elif isinstance(event, SequenceStartEvent):
            self._sequence(node, events, depth)
        elif isinstance(event, ScalarEvent):
            node.data = self._scalar(event) if event.implicit[0] else self._text(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _mapping(self, node: Node, events: Iterator[Event], depth: int) -> None:
        data: dict[str, Data] = {}
        for event in events:
            if isinstance(event, CollectionEndEvent):
                break
            if not isinstance(event, ScalarEvent):
                self._stop(event.start_mark, "a key has to be plain text", 'a placeholder needs quotes: "{{name}}"')
            name, key_place = self._text(event), _place(event.start_mark)
            child = self._node(_next_node(events), events, depth + 1)
            if name in data:
                line, column = node.keys[name]
                self._note(event.start_mark, f"duplicate key {name!r}, first in line {line}, column {column}")
            if child.data is None and child.place[0] != key_place[0]:
                child.place = key_place
            node.children[name], node.keys[name], data[name] = child, key_place, child.data
            node.size += child.size
        node.data = data

    def _sequence(self, node: Node, events: Iterator[Event], depth: int) -> None:
        data: list[Data] = []
        for event in events:
            if not isinstance(event, NodeEvent):
                break
            child = self._node(event, events, depth + 1)
            node.children[len(data)] = child
            node.size += child.size
            data.append(child.data)
        node.data = data

    def _alias(self, event: AliasEvent) -> Node:
        self._aliases += 1
        node = self._anchors.get(event.anchor)
        if node is None:
            self._stop(event.start_mark, f"undefined alias *{event.anchor[:40]}")
        self._aliased += node.size
        if self._aliases > MAX_ALIASES or self._aliased > MAX_ALIASED:
            self._stop(event.start_mark, "too many aliases; repeat the value instead")
        return node

    def _scalar(self, event: ScalarEvent) -> Data:
        """Return the value of plain text: YAML 1.2's core schema, and dates."""
        text = event.value
        if _NULL.fullmatch(text):
            return None
        if match := _BOOL.fullmatch(text):
            return match[1] is not None
        if _INT.fullmatch(text):
            return int(text, 0 if text[:2] in ("0o", "0x") else 10)
        if _DATE.fullmatch(text):
            return _date(text)
        if _NO_NUMBER.fullmatch(text) or (_FLOAT.fullmatch(text) and not isfinite(float(text))):
            self._note(event.start_mark, "infinite and undefined numbers are not supported")
            return None
        return float(text) if _FLOAT.fullmatch(text) else self._text(event)

    def _text(self, event: ScalarEvent) -> str:
        """Return the text of a scalar, with surrogate pairs, which JSON uses, combined."""
        text = str(event.value)
        if not _SURROGATE.search(text):
            return text
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self._note(
                event.start_mark, "contains half of a surrogate pair", "write the character itself, or as \\U0001F600"
            )
            return ""

    def _note(self, mark: StreamMark, message: str, hint: str = "") -> None:
        line, column = _place(mark)
        self.problems.append(Problem(file=self.file, line=line, column=column, message=message, hint=hint))

    def _stop(self, mark: StreamMark, message: str, hint: str = "") -> NoReturn:
        self._note(mark, message, hint)
        raise _Stop


def _place(mark: StreamMark) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _next_node(events: Iterator[Event]) -> NodeEvent:
    event = next(events)
    assert isinstance(event, NodeEvent), "the parser gives every key a value"
    return event


def _date(text: str) -> date | str:
    """Return a date, or the text if there is no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text
