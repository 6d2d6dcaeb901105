"""What rules found, as Markdown: for the comment on a change, or the summary of a build."""

from collections.abc import Iterator

from sparring.core.verdict import Findings, Outcome
from sparring.reporting.counted import counted
from sparring.reporting.finding_words import details, status, what
from sparring.reporting.markdown import safe


def findings_markdown(findings: Findings) -> str:
    """A table of all rules, then what there is to say about each that does not simply hold."""
    return "\n".join([*_table(findings), *_sections(findings)]) + "\n"


def _table(findings: Findings) -> Iterator[str]:
    skipped = f", {counted(findings.skipped, 'file')} skipped" if findings.skipped else ""
    yield f"{counted(findings.conversations, 'conversation')}{skipped}"
    yield ""
    yield "| rule | | what was found |"
    yield "|---|---|---|"
    yield from (f"| {safe(each.rule)} | {status(each)} | {safe(what(each))} |" for each in findings.findings)


def _sections(findings: Findings) -> Iterator[str]:
    for finding in findings.findings:
        said = list(details(finding))
        if finding.outcome is not Outcome.PASS and said:
            yield from ("", f"### {safe(finding.rule)}", "")
            yield from _block(said)


def _block(said: list[str]) -> Iterator[str]:
    """In a fence longer than any inside, so that nothing that was said is taken for Markdown."""
    fence = "```"
    while any(fence in line for line in said):
        fence += "`"
    yield from (fence, *said, fence)
