"""A batch for GitHub Actions: annotations, and the summary on the page of the job.

Nothing that was said can give orders: the values of workflow commands are escaped, and everything else is Markdown
that means nothing but itself.
"""

from collections.abc import Iterator

from sparring.core.text import visible
from sparring.core.verdict import Outcome
from sparring.reporting.finding_words import what
from sparring.reporting.report import Report

MOST = 10
"""GitHub shows no more annotations of one kind and step."""

LARGEST_SUMMARY = 1_000_000
"""Bytes; GitHub takes 1 MiB."""

_LEVELS = {Outcome.FAIL: "error", Outcome.ERROR: "warning", Outcome.NOT_APPLICABLE: "warning"}


def annotations(report: Report) -> Iterator[str]:
    """Workflow commands: what failed and what could not be decided, at most ten of each level."""
    left = dict.fromkeys(("error", "warning"), MOST)
    for level, title, said, file in _troubles(report):
        if left[level]:
            left[level] -= 1
            place = f"file={_property(file)}," if file else ""
            yield f"::{level} {place}title={_property(title)}::{_data(said)}"


def cut(markdown: str) -> str:
    """The summary, as much of it as GitHub takes, and a word where something is left out."""
    if len(markdown.encode()) <= LARGEST_SUMMARY:
        return markdown
    kept = markdown.encode()[: LARGEST_SUMMARY - 100].decode(errors="ignore").rpartition("\n")[0]
    return f"{kept}\n\n… the rest is left out: more than GitHub takes.\n"


def _troubles(report: Report) -> Iterator[tuple[str, str, str, str]]:
    if report.gated is not None:
        for line in report.gated.lines:
            if line.came != "passed":
                level = "error" if line.came == "failed" else "warning"
                yield level, f"gate: {line.asks}", f"{line.measured}; wanted: {line.wanted}", ""
    if report.summary.not_run and report.gated is None:
        yield "warning", "not run", f"{report.summary.not_run:,} of {report.summary.planned:,} were not run", ""
    for finding in report.summary.findings:
        if finding.outcome is not Outcome.PASS:
            yield _LEVELS[finding.outcome], f"rule: {finding.rule}", what(finding), finding.file
    for example in report.summary.examples:
        yield _LEVELS[example.outcome], ", ".join(example.conversations), example.reason, ""


def _data(text: str) -> str:
    """GitHub decodes these again; a line break would end the command."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
