"""A batch as Markdown: for the comment on a change, or the summary of a build."""

from collections.abc import Iterator

from sparring.core.verdict import Outcome
from sparring.reporting.finding_words import status, what
from sparring.reporting.markdown import safe
from sparring.reporting.report import Report
from sparring.reporting.sentence import sentence
from sparring.reporting.summary import Summary

_WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.ERROR: "could not be decided",
    Outcome.NOT_APPLICABLE: "void",
}


def batch_markdown(report: Report) -> str:
    """What came out: a sentence, the numbers, the gate, the rules, and the first conversations that did not pass."""
    return "\n".join([*_head(report), *_gate(report), *_rules(report.summary), *_examples(report.summary)]) + "\n"


def _head(report: Report) -> Iterator[str]:
    summary = report.summary
    yield f"## {safe(summary.name or summary.batch)}"
    yield ""
    yield safe(sentence(summary))
    yield ""
    yield safe(str(summary.who))
    yield ""
    yield "| conversations | |"
    yield "|---|---:|"
    yield from (f"| {_WORDS[each]} | {count:,} |" for each, count in summary.outcomes.items() if count)
    if summary.unjudged:
        yield f"| of the passed: unjudged | {summary.unjudged:,} |"
    if summary.not_run:
        yield f"| not run | {summary.not_run:,} |"


def _gate(report: Report) -> Iterator[str]:
    if report.gated is not None:
        yield from ("", f"### Gate: {report.gated.came}", "", "| asks | wanted | measured | |", "|---|---|---|---|")
        for line in report.gated.lines:
            yield f"| {safe(line.asks)} | {safe(line.wanted)} | {safe(line.measured)} | {line.came} |"


def _rules(summary: Summary) -> Iterator[str]:
    if summary.findings:
        yield from ("", "### Rules", "", "| rule | | what was found |", "|---|---|---|")
        yield from (f"| {safe(each.rule)} | {status(each)} | {safe(what(each))} |" for each in summary.findings)


def _examples(summary: Summary) -> Iterator[str]:
    if summary.examples:
        yield from ("", "### Conversations that did not pass", "", "| conversation | | why |", "|---|---|---|")
        for example in summary.examples:
            ids = safe(", ".join(example.conversations))
            yield f"| {ids} | {_WORDS[example.outcome]} | {safe(example.reason)} |"
