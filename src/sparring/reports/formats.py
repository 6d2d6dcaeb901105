"""Report formats, and the values that they write.

A format is one module with a `ReportFormat`, listed under the entry-point group `sparring.reports`. `sparring
report` and the download menu of the browser offer formats with `batch` or `results`, REST (`results?format=`) and
`sparring fetch` those with `results`, and `sparring check` those with `findings`.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sparring.core import plugins
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.text import suggest
from sparring.core.verdict import Finding, Findings
from sparring.reports.reported import ReportedConversation
from sparring.reports.summary import Summary

if TYPE_CHECKING:
    from sparring.reports.gate import Gated
    from sparring.reports.service_results import ScenarioResult
    from sparring.store.derived import StoredResult

GROUP = "sparring.reports"


@dataclass(frozen=True)
class Report:
    """A batch in numbers, with its gate if it has one. Conversations go to listeners, one at a time."""

    batch: Batch
    summary: Summary
    gated: "Gated | None" = None


class Listener(Protocol):
    """Receives a batch one conversation at a time and keeps as little of it as it can."""

    def found(self, findings: Sequence[Finding]) -> None:
        """Receive the findings of the rules, before the first conversation."""

    def add(self, reported: ReportedConversation) -> None:
        """Receive a conversation with its verdicts and the decision about it."""


class RowListener(Protocol):
    """Receives a batch by its rows, and then only the conversations that it shows.

    `whole` means all of them, else the `examples`. The first conversations are measured.
    """

    whole: bool

    def count(self, found: "StoredResult") -> None:
        """Count a conversation by its row."""

    def measure(self, conversation: Conversation) -> None:
        """Measure the reply times of one of the first conversations."""

    def examples(self, findings: Sequence[Finding]) -> Sequence[str]:
        """Return the ids of the conversations to show, once all are counted."""

    def add(self, reported: ReportedConversation) -> None:
        """Receive a conversation to show."""


@dataclass(frozen=True)
class BatchWriter:
    """One report in the making.

    `listener` receives the conversations, or `rows` their rows; then `text` returns the file.
    """

    text: Callable[[Report], str]
    listener: Listener | None = None
    rows: RowListener | None = None


@dataclass(frozen=True)
class ResultRows:
    """The result rows of a batch, streamed in the order of its cases."""

    batch: str
    rows: AsyncIterator["ScenarioResult"]
    prompt_version: str
    exported: datetime


@dataclass(frozen=True, kw_only=True)
class ReportFormat:
    """One file format, with a writer for each input that it supports.

    `batch` starts a report of a batch; where that holds only examples, `whole` starts one of all conversations.
    `results` streams its result rows, and `findings` writes what `sparring check` found. The first of `suffixes` names
    downloads. With `transcripts`, files contain whole conversations. `openings` are regular expressions of the bytes
    with which a file of this format begins: only such a file, or an empty one, is replaced by a new one.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    media_type: str
    batch: Callable[[], BatchWriter] | None = None
    whole: Callable[[], BatchWriter] | None = None
    results: Callable[[ResultRows], AsyncIterator[bytes]] | None = None
    findings: Callable[[Findings], str] | None = None
    transcripts: bool = False
    openings: tuple[bytes, ...] = ()

    @property
    def of_batches(self) -> bool:
        """True if the format can write a batch."""
        return self.batch is not None or self.results is not None

    @property
    def of_findings(self) -> bool:
        """True if the format can write findings."""
        return self.findings is not None


def find(name: str) -> ReportFormat:
    """Return the format called `name`. Raise InputError if there is none."""
    found = plugins.find(GROUP, name)
    if not isinstance(found, ReportFormat) or found.name != name:
        raise InputError(f"the plug-in {name!r} of {GROUP} is not a ReportFormat of this name")
    return found


def formats() -> list[ReportFormat]:
    """All installed formats, sorted by name."""
    return [find(name) for name in plugins.names(GROUP)]


def for_suffix(suffix: str, wanted: Callable[[ReportFormat], bool]) -> ReportFormat | None:
    """Return the format for files with this suffix, such as ".md", among those that are `wanted`."""
    name = suffix.removeprefix(".").lower()
    if name in plugins.names(GROUP) and f".{name}" in (same := find(name)).suffixes and wanted(same):
        return same  # without loading the others
    return next((each for each in formats() if suffix.lower() in each.suffixes and wanted(each)), None)


def for_file(path: Path, wanted: Callable[[ReportFormat], bool]) -> ReportFormat:
    """Return the format that the suffix of a file names. Raise InputError if there is none."""
    found = for_suffix(path.suffix, wanted) if path.suffix else None
    if found is None:
        known = ", ".join(f"{suffix} ({each.name})" for each in formats() if wanted(each) for suffix in each.suffixes)
        raise InputError(f"{path}: expected a suffix that names a format: {known}", hint="add --format NAME")
    return found


def named(name: str, wanted: Callable[[ReportFormat], bool]) -> ReportFormat:
    """Return the format called `name` among those that are `wanted`. Raise InputError if there is none."""
    known = [each.name for each in formats() if wanted(each)]
    if name not in known:
        raise InputError(f"unknown format {name!r}", hint=suggest(name, known))
    return find(name)
