"""A code quality report for GitLab: one entry for each cause."""

from collections.abc import Iterator
from pathlib import Path, PurePath

from sparring.core.batch import Batch
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.causes import CauseSummary, count_text, example_text
from sparring.reports.formats import BatchWriter, Report, ReportFormat
from sparring.reports.json_report import printed

_SUFFIXES = (".yml", ".yaml", ".json")
_NOT_OURS = ("known", "shrank")
"""Statuses of failures that a change did not bring."""


def code_quality(report: Report) -> str:
    """Return the causes of a batch. A merge request shows those that its target branch does not have."""
    return printed([_entry(each, report.batch) for each in report.summary.causes]) + "\n"


def _entry(cause: CauseSummary, batch: Batch) -> dict[str, Json]:
    severity = "info" if cause.outcome is not Outcome.FAILED else "minor" if cause.status in _NOT_OURS else "major"
    path, line = next(_places(cause, batch))
    return {
        "description": visible(f"{cause.title}: {count_text(cause)}; {example_text(cause)}"),
        "check_name": visible(next(iter(cause.checks), cause.kind)),
        "fingerprint": cause.id,
        "severity": severity,
        "location": {"path": visible(path), "lines": {"begin": line}},
    }


def _places(cause: CauseSummary, batch: Batch) -> Iterator[tuple[str, int]]:
    """Yield the rule that saw a cause, then files of its cases, without folders of the machine."""
    for rule in batch.rules:
        if rule.name in cause.checks and rule.file:
            yield _relative(rule.file), rule.line or 1
    for source in batch.origin.sources if batch.origin else ():
        for id in cause.conversations:
            if file := _file_of(source, id):
                yield _relative(file), 1
    yield "sparring.yaml", 1


def _file_of(source: str, conversation: str) -> str:
    """Return the file of a conversation: a source, or one in a folder; empty if there is none."""
    if PurePath(source).suffix:
        return source
    parts = PurePath(conversation).parts
    for end in range(len(parts), 0, -1):
        for suffix in _SUFFIXES:
            file = Path(source, *parts[: end - 1], f"{parts[end - 1]}{suffix}")
            if file.is_file():
                return str(file)
    return ""


def _relative(file: str) -> str:
    path = PurePath(file)
    return path.name if path.is_absolute() or ".." in path.parts else path.as_posix()


FORMAT = ReportFormat(
    name="gitlab",
    label="GitLab code quality",
    suffixes=(".json",),
    media_type="application/json",
    batch=lambda: BatchWriter(code_quality),
    openings=(rb'\[\n  \{\n    "description": ', rb"\[\]\n"),
)
