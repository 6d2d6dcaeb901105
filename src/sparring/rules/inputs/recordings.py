"""Conversations of a file or folder in any supported format. Files without a conversation are skipped."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import orjson

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.rules.inputs import NotARecording, chat_logs, sensei
from sparring.rules.recording import Recording, recording_of

_REPORTS = {"__report__", "__cost_report__"}
"""Folders of SENSEI reports among its conversations."""

T = TypeVar("T")
_YAML, _LINES = {".yml", ".yaml"}, {".ndjson", ".jsonl"}


class _InputFiles(Generic[T]):
    """Conversations under a path, in natural order of the file names. Every iteration reads them again.

    `skipped` holds the problems of the last iteration.
    """

    _parse_file: Callable[[bytes, str], T]
    _parse_line: Callable[[bytes, int], T]

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.skipped: list[Problem] = []
        if not self.path.exists():
            raise InputError(Problem(file=str(path), message="there is no such file or folder"))

    def __iter__(self) -> Iterator[T]:
        self.skipped = []
        for file in self._files():
            if file.suffix in _YAML:
                yield from self._one(file)
            else:
                yield from self._lines(file)

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        files = {file.relative_to(self.path): file for file in self.path.rglob("*") if file.suffix in _YAML | _LINES}
        found = [name for name, file in files.items() if file.is_file() and not _REPORTS & {*name.parts[:-1]}]
        return [files[name] for name in sorted(found, key=lambda name: _natural_key(name.as_posix()))]

    def _one(self, file: Path) -> Iterator[T]:
        name = file.relative_to(self.path).as_posix() if self.path.is_dir() else file.name
        try:
            yield self._parse_file(file.read_bytes(), name)
        except NotARecording as error:
            self.skipped.append(Problem(file=str(file), message=str(error)))

    def _lines(self, file: Path) -> Iterator[T]:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    if line.strip():
                        yield self._parse_line(line, number)
                except NotARecording as error:
                    self.skipped.append(Problem(file=str(file), line=number, message=str(error)))


def _recording_line(line: bytes, number: int) -> Recording:
    entry = _entry(line)
    if "case" in entry:
        return recording_of(chat_logs.parse_ndjson_line(line))
    return chat_logs.parse_chat_log_line(entry, number)


def _conversation_line(line: bytes, number: int) -> Conversation:
    entry = _entry(line)
    if "case" in entry:
        return chat_logs.parse_ndjson_line(line)
    return chat_logs.parse_conversation_line(entry, number)


class Recordings(_InputFiles[Recording]):
    """Conversations under a path as rules see them."""

    _parse_file = staticmethod(sensei.parse_recording)
    _parse_line = staticmethod(_recording_line)


class Conversations(_InputFiles[Conversation]):
    """Conversations under a path as readers see them, with their goals and outputs."""

    _parse_file = staticmethod(sensei.parse_conversation)
    _parse_line = staticmethod(_conversation_line)


def _entry(line: bytes) -> dict[str, Any]:
    """Return the object in a line that has a case or messages."""
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise NotARecording(f"is not JSON: {error}") from None
    if isinstance(entry, dict) and ("case" in entry or "messages" in entry):
        return entry
    raise NotARecording("is neither a Sparring conversation nor a chat log with 'messages'")


def _natural_key(path: str) -> list[tuple[int, str]]:
    """Return a sort key with numbers by value: 2_a before 10_a."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path)]
