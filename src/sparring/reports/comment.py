"""The comment on a change: the result, conversations before and after, gate, and causes."""

from collections.abc import Iterator

from sparring.reports.comparison import Comparison
from sparring.reports.comparison_text import headline
from sparring.reports.formats import Report
from sparring.reports.markdown import cause_table, cut, gate_table, safe
from sparring.reports.sentence import sentence

LARGEST = 60_000
"""Bytes; GitHub takes 65,536 characters."""


def comment(report: Report, comparison: Comparison | None = None, *, link: str = "") -> str:
    """Return the comment in Markdown.

    `comparison` is with the batch before; `link` leads to the files of the run.
    """
    title = f"## Sparring: {safe(report.summary.name or report.summary.batch)}"
    lines = [title, "", safe(str(sentence(report.summary, report.gated))), *_pairs(comparison)]
    lines += [*gate_table(report), *cause_table(report.summary)]
    if link.startswith("https://"):
        lines += ["", f"[Report and transcripts]({link})"]
    return cut("\n".join(lines) + "\n", LARGEST)


def _pairs(comparison: Comparison | None) -> Iterator[str]:
    if comparison is not None:
        pairs = comparison.pairs
        yield from (
            "",
            safe(headline(comparison)),
            "",
            "| conversations | now passed | now failed |",
            "|---|---:|---:|",
        )
        yield f"| passed before | {pairs['passed']:,} | {pairs['worse']:,} |"
        yield f"| failed before | {pairs['better']:,} | {pairs['failed']:,} |"
