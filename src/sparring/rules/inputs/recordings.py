"""Conversations of a file or folder in any supported format."""

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Generic, TypeVar

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.tool_errors import ToolError, with_all_failures
from sparring.rules.inputs.entries import LINES, YAML, LogEntry, entries
from sparring.rules.inputs.log_format import AUTO, LogFormat, detect, formats, require_known
from sparring.rules.inputs.rows import ColumnNames, with_columns
from sparring.rules.recording import Recording, recording_of

_REPORTS = {"__report__", "__cost_report__"}
"""Folders of SENSEI reports among its conversations."""

_READ = {*YAML, *LINES, ".json", ".gz", ".pb"}
STDIN = "-"
T = TypeVar("T", Conversation, Recording)


class _InputFiles(Generic[T]):
    """Conversations under a path, in natural order of the file names. Every iteration reads them again.

    `-` is the standard input. A `format` other than `auto` is that of every file; `columns` are those of rows. Calls
    of tools that are not there did not happen if the logs are `complete_tools`, and results that fit `tool_errors` are
    failures. `skipped` holds the problems of the last iteration.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        format: str = AUTO,
        columns: ColumnNames | None = None,
        complete_tools: bool = False,
        tool_errors: Sequence[ToolError] = (),
    ) -> None:
        require_known(format)
        self.path = Path(path)
        self.shown = str(path)
        self.skipped: list[Problem] = []
        self._complete_tools, self._tool_errors = complete_tools, tool_errors
        self._formats = {**formats(), **({"rows": with_columns(columns)} if columns else {})}
        self._only = "rows" if columns not in (None, ColumnNames()) else "" if format == AUTO else format
        if self.shown == STDIN:
            start = sys.stdin.buffer.readline()
            suffix = ".csv" if _is_table(start) else ".json"
            self._copy = NamedTemporaryFile(suffix=suffix)  # noqa: SIM115  # it lives as long as this object
            self._copy.write(start)
            shutil.copyfileobj(sys.stdin.buffer, self._copy)
            self._copy.flush()
            self.path = Path(self._copy.name)
        elif not self.path.exists():
            raise InputError(Problem(file=str(path), message="there is no such file or folder"))

    def __iter__(self) -> Iterator[T]:
        self.skipped = []
        found = chain.from_iterable(entries(file, self._name(file)) for file in self._files())
        format_of = self._format_of()
        named = ((format, entry) for entry in self._readable(found) if (format := format_of(entry)))
        for format, some in groupby(named, itemgetter(0)):
            for each in self._read(self._formats[format], map(itemgetter(1), some)):
                if isinstance(each, Problem):
                    self._skip(each)
                else:
                    yield each

    def _skip(self, problem: Problem) -> None:
        of_stdin = {"file": "standard input"} if self.shown == STDIN else {}
        self.skipped.append(problem.changed(**of_stdin))

    def _read(self, format: LogFormat, entries: Iterable[LogEntry]) -> Iterator[T | Problem]:
        raise NotImplementedError

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        files = [file for file in self.path.rglob("*") if file.suffix in _READ and file.is_file()]
        kept = [file for file in files if _REPORTS.isdisjoint(file.relative_to(self.path).parts[:-1])]
        return sorted(kept, key=self._place)

    def _place(self, file: Path) -> list[tuple[int, str]]:
        return _natural_key(self._name(file))

    def _name(self, file: Path) -> str:
        if self.shown == STDIN:
            return "stdin"
        return file.relative_to(self.path).as_posix() if self.path.is_dir() else file.name

    def _readable(self, found: Iterable[LogEntry | Problem]) -> Iterator[LogEntry]:
        for each in found:
            if isinstance(each, Problem):
                self._skip(each)
            else:
                yield each

    def _format_of(self) -> Callable[[LogEntry], str]:
        """Return a function from entries to formats, with "" for those without; it tries the last one first."""
        last = self._only

        def format_of(entry: LogEntry) -> str:
            nonlocal last
            if last and (self._formats[last].fits(entry) or last == self._only == "rows"):
                return last
            found = entry.problem(f"is not of the format {last}") if self._only else detect(entry, self._formats)
            if isinstance(found, Problem):
                self._skip(found)
                return ""
            last = found
            return found

        return format_of


class Conversations(_InputFiles[Conversation]):
    """Conversations under a path as readers see them, with their goals and outputs."""

    def _read(self, format: LogFormat, entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
        for each in format.read(entries):
            yield self._as_configured(each) if isinstance(each, Conversation) else each

    def _as_configured(self, conversation: Conversation) -> Conversation:
        found = with_all_failures(conversation, self._tool_errors)
        return found.changed(reports_tools=True) if self._complete_tools else found


class Recordings(_InputFiles[Recording]):
    """Conversations under a path as rules see them."""

    def _read(self, format: LogFormat, entries: Iterable[LogEntry]) -> Iterator[Recording | Problem]:
        for each in (format.recordings or format.read)(entries):
            found = recording_of(with_all_failures(each, self._tool_errors)) if isinstance(each, Conversation) else each
            yield replace(found, reports_tools=True) if self._complete_tools and isinstance(found, Recording) else found


def _is_table(first: bytes) -> bool:
    """Return True if the first line of a file is that of a table, not of JSON."""
    begins = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return begins not in (b"", b"[", b"{") and any(mark in first for mark in (b",", b";", b"\t"))


def _natural_key(path: str) -> list[tuple[int, str]]:
    """Return a sort key with numbers by value: 2_a before 10_a."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path)]
