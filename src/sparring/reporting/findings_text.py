"""What rules found, as plain lines for a terminal."""

from collections.abc import Iterator

from sparring.core.verdict import Findings, Outcome
from sparring.reporting.finding_words import details, status, what
from sparring.reporting.terminal import visible

_ORDER = [Outcome.FAIL, Outcome.ERROR, Outcome.NOT_APPLICABLE, Outcome.PASS]


def findings_text(findings: Findings) -> Iterator[str]:
    """One line a rule, the worst last, so that it is what stays on the screen; then the numbers of all."""
    width = max((len(status(each)) for each in findings.findings), default=0)
    for finding in sorted(findings.findings, key=lambda each: -_ORDER.index(each.outcome)):
        yield f"{status(finding):<{width}}  {visible(finding.rule)}: {what(finding)}"
        if finding.outcome is not Outcome.PASS:
            yield from (f"{'':<{width}}    {line}" for line in details(finding))
    yield ""
    yield _all(findings)


def _all(findings: Findings) -> str:
    counts = [(outcome, sum(each.outcome is outcome for each in findings.findings)) for outcome in reversed(_ORDER)]
    words = {
        Outcome.PASS: "hold",
        Outcome.FAIL: "violated",
        Outcome.ERROR: "undecided or invalid",
        Outcome.NOT_APPLICABLE: "not exercised",
    }
    told = ", ".join(f"{count:,} {words[outcome]}" for outcome, count in counts if count) or "no rules"
    skipped = f" ({findings.skipped:,} files skipped)" if findings.skipped else ""
    return f"{told}, over {findings.conversations:,} conversations{skipped}"
