"""Markdown for comments on changes and summaries of builds, and annotations for GitHub Actions.

Words of a conversation cannot act as markup or workflow commands: all of them are escaped.
"""

import re
from collections.abc import Iterator, Sequence

from sparring.core.audit import Blame
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome, Finding, Findings
from sparring.reports.causes import MOST_CAUSES, count_text, example_text, shortest_prefixes, status_text
from sparring.reports.comparison import Comparison
from sparring.reports.comparison_text import headline
from sparring.reports.consistency import consistency_text
from sparring.reports.findings import details, status, what
from sparring.reports.formats import BatchWriter, Report, ReportFormat
from sparring.reports.lines import counted
from sparring.reports.rate_text import agreement_text, pass_rate_text, percent, score_lines, statistics_lines
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary

_LINKED = re.compile(r"@|#|:(?=//)|\bwww(?=\.)|\bGH(?=-\d)", re.IGNORECASE)
"""Text that GitHub makes links of even when escaped; a word joiner after it prevents that."""


def safe(text: str) -> str:
    """Return `text` in one line of Markdown without markup, mentions, references or links."""
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]<>|#!~" else c for c in visible(text))
    return _LINKED.sub("\\g<0>\u2060", escaped)


def batch_markdown(report: Report) -> str:
    """Return a batch: a sentence, the numbers, the gate, the causes, and the rules."""
    return (
        "\n".join([*_head(report), *gate_table(report), *cause_table(report.summary), *_rules(report.summary)]) + "\n"
    )


def _head(report: Report) -> Iterator[str]:
    summary = report.summary
    yield f"## {safe(summary.name or summary.batch)}"
    yield ""
    yield safe(str(sentence(summary, report.gated)))
    yield ""
    yield safe(str(summary.who))
    yield ""
    yield "| conversations | |"
    yield "|---|---:|"
    yield from (f"| {each} | {count:,} |" for each, count in summary.outcomes.items() if count)
    if summary.not_run:
        yield f"| not run | {summary.not_run:,} |"
    if summary.statistics is not None:
        yield ""
        yield from (f"- {safe(line)}" for line in statistics_lines(summary.statistics))
    for each in summary.scores:
        yield from (f"- {safe(f'{each.named}: {line}')}" for line in score_lines(each))
    yield from (f"- {safe(agreement_text(each))}" for each in summary.agreements)
    yield from (f"- {safe(consistency_text(each))}" for each in summary.consistency)


def gate_table(report: Report) -> Iterator[str]:
    """Yield the lines of the gate of a report, if it has one."""
    if report.gated is not None:
        yield from ("", f"### Gate: {report.gated.came}", "", "| asks | wanted | measured | |", "|---|---|---|---|")
        for line in report.gated.lines:
            yield f"| {safe(line.asks)} | {safe(line.wanted)} | {safe(line.measured)} | {line.came} |"


def _rules(summary: Summary) -> Iterator[str]:
    if summary.findings:
        yield from ("", "### Rules", "", *_rule_table(summary.findings))


def _rule_table(findings: Sequence[Finding]) -> Iterator[str]:
    yield from ("| rule | | what was found |", "|---|---|---|")
    yield from (f"| {safe(each.rule)} | {status(each)} | {safe(what(each))} |" for each in findings)


def cause_table(summary: Summary) -> Iterator[str]:
    """Yield a table of what failed or is undecided by cause, the largest causes with their examples."""
    if not summary.causes and not summary.gone:
        return
    yield from ("", "### Causes", "", "| | | cause | example |", "|---:|---|---|---|")
    short = shortest_prefixes(tuple(each.id for each in summary.causes))
    for each in summary.causes[:MOST_CAUSES]:
        status = status_text(each)
        blame = f", {each.blame}" if each.blame is not Blame.CHATBOT else ""
        title = f"{safe(each.title)} ({short[each.id]})"
        share = f"{each.count:,} {each.outcome}, {percent(each.share)} %"
        yield f"| {share} | {safe(status)} | {title}{blame} | {safe(example_text(each))} |"
    if smaller := summary.causes[MOST_CAUSES:]:
        yield f"| {sum(each.count for each in smaller):,} | | {counted(len(smaller), 'smaller cause')} | |"
    for each in summary.gone:
        yield f"| 0 of {each.before or 0:,} | {safe(status_text(each))} | {safe(each.title)} | |"


def findings_markdown(findings: Findings) -> str:
    """Return a table of all rules, then details of each that does not simply hold."""
    return "\n".join([*_table(findings), *_sections(findings)]) + "\n"


def _table(findings: Findings) -> Iterator[str]:
    skipped = f", {counted(findings.skipped, 'file')} skipped" if findings.skipped else ""
    yield f"{counted(findings.conversations, 'conversation')}{skipped}"
    yield from ("", *_rule_table(findings.findings))


def _sections(findings: Findings) -> Iterator[str]:
    for finding in findings.findings:
        said = list(details(finding))
        if finding.outcome is not CheckOutcome.PASS and said:
            yield from ("", f"### {safe(finding.rule)}", "")
            yield from _block(said)


def _block(said: list[str]) -> Iterator[str]:
    """Yield lines in a fence longer than any inside, so that no quoted text is read as Markdown."""
    fence = "```"
    while any(fence in line for line in said):
        fence += "`"
    yield from (fence, *said, fence)


MOST = 10
"""GitHub shows no more annotations of one kind and step."""

LARGEST_SUMMARY = 1_000_000
"""Bytes; GitHub takes 1 MiB."""

_LEVELS = {CheckOutcome.FAIL: "error", CheckOutcome.ERROR: "warning", CheckOutcome.NOT_APPLICABLE: "warning"}


def annotations(report: Report) -> Iterator[str]:
    """Return workflow commands with the pass rate, failures and undecided, at most ten of each level."""
    left = dict.fromkeys(("notice", "error", "warning"), MOST)
    for level, title, said, file in _troubles(report):
        if left[level]:
            left[level] -= 1
            yield workflow_command(level, title, said, file)


def workflow_command(level: str, title: str, said: str, file: str = "") -> str:
    """Return an annotation for GitHub Actions."""
    place = f"file={_property(file)}," if file else ""
    return f"::{level} {place}title={_property(title)}::{_data(said)}"


def cut(markdown: str, largest: int = LARGEST_SUMMARY) -> str:
    """Return as many lines of a text as GitHub accepts, and say if the rest is left out."""
    if len(markdown.encode(errors="replace")) <= largest:
        return markdown
    kept = markdown.encode(errors="replace")[: largest - 100].decode(errors="ignore").rpartition("\n")[0]
    return f"{kept}\n\n… the rest is left out: more than GitHub takes.\n"


def _troubles(report: Report) -> Iterator[tuple[str, str, str, str]]:
    if report.gated is not None:
        for line in report.gated.lines:
            if line.came != "passed":
                level = "error" if line.came == "failed" else "warning"
                yield level, f"gate: {line.asks}", f"{line.measured}; wanted: {line.wanted}", ""
    if report.summary.statistics and (rate := pass_rate_text(report.summary.statistics)):
        yield "notice", "pass rate", rate, ""
    if report.summary.not_run and report.gated is None:
        yield "warning", "not run", f"{report.summary.not_run:,} of {report.summary.planned:,} were not run", ""
    for finding in report.summary.findings:
        if finding.outcome is not CheckOutcome.PASS:
            yield _LEVELS[finding.outcome], f"rule: {finding.rule}", what(finding), finding.file
    for cause in report.summary.causes:
        level = "error" if cause.outcome is Outcome.FAILED else "warning"
        yield level, cause.title, f"{count_text(cause)}: {example_text(cause)}", ""


def _data(text: str) -> str:
    """GitHub decodes these again; a line break would end the command."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT = ReportFormat(
    name="markdown",
    label="Markdown",
    suffixes=(".md", ".markdown"),
    media_type="text/markdown; charset=utf-8",
    batch=lambda: BatchWriter(batch_markdown),
    findings=findings_markdown,
    openings=(
        rb"## [^\n]*\n\n[^\n]*\n\n[^\n]*\n\n\| conversations \| \|\n",
        rb"[\d,]+ conversations?[^\n]*\n\n\| rule \| \| what was found \|\n",
    ),
)


LARGEST_COMMENT = 60_000
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
    return cut("\n".join(lines) + "\n", LARGEST_COMMENT)


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
