"""What rules found, as plain lines for a terminal."""

from collections.abc import Callable, Iterator

from sparring.core.errors import Problem
from sparring.core.text import visible
from sparring.core.verdict import Findings, Outcome
from sparring.reporting.counted import counted
from sparring.reporting.finding_words import details, status, what

_ORDER = [Outcome.FAIL, Outcome.ERROR, Outcome.NOT_APPLICABLE, Outcome.PASS]


Excerpt = Callable[[Problem, str], list[str]]


def findings_text(findings: Findings, *, excerpt: Excerpt = lambda problem, rule: []) -> Iterator[str]:
    """One line a rule, the worst last, so that it is what stays on the screen; then the numbers of all.

    `excerpt` gives the lines that show where a problem is, and is also told the name of its rule.
    """
    width = max((len(status(each)) for each in findings.findings), default=0)
    for finding in sorted(findings.findings, key=lambda each: -_ORDER.index(each.outcome)):
        yield f"{status(finding):<{width}}  {visible(finding.rule)}: {what(finding)}"
        for problem in finding.invalid:
            yield from (f"{'':<{width}}    {line}" for line in _placed(problem, excerpt(problem, finding.rule)))
        if finding.outcome is not Outcome.PASS and not finding.invalid:
            yield from (f"{'':<{width}}    {line}" for line in details(finding))
        for problem in finding.doubts:
            yield from (
                f"{'':<{width}}    {line}" for line in _placed(problem, excerpt(problem, finding.rule), "doubt: ")
            )
    yield ""
    yield _all(findings)


def _placed(problem: Problem, excerpt: list[str], mark: str = "") -> Iterator[str]:
    yield visible(f"{mark}{problem}")
    yield from (f"  {visible(line)}" for line in excerpt)


def _all(findings: Findings) -> str:
    counts = [(outcome, sum(each.outcome is outcome for each in findings.findings)) for outcome in reversed(_ORDER)]
    words = {
        Outcome.PASS: "hold",
        Outcome.FAIL: "violated",
        Outcome.ERROR: "undecided or invalid",
        Outcome.NOT_APPLICABLE: "not exercised",
    }
    told = ", ".join(f"{count:,} {words[outcome]}" for outcome, count in counts if count) or "no rules"
    skipped = f" ({counted(findings.skipped, 'file')} skipped)" if findings.skipped else ""
    return f"{told}, over {counted(findings.conversations, 'conversation')}{skipped}"
