"""Findings of rules in words, for a terminal and for the other reports."""

from collections.abc import Callable, Iterator
from math import floor

from sparring.core.errors import Problem
from sparring.core.text import visible
from sparring.core.verdict import Cause, CheckOutcome, Example, Finding, Findings
from sparring.reports.lines import counted
from sparring.reports.rate_text import bounds, percent, rule_rate_text

STATUS = {CheckOutcome.PASS: "holds", CheckOutcome.FAIL: "VIOLATED", CheckOutcome.ERROR: "UNDECIDED"}


def status(finding: Finding) -> str:
    """Return the outcome of a rule in one word."""
    if finding.invalid:
        return "INVALID"
    return STATUS.get(finding.outcome, "NOT EXERCISED")


def what(finding: Finding) -> str:
    """Return the counts of a finding, with their unit, in one line."""
    if finding.invalid:
        return "the rule cannot be checked"
    if finding.outcome is CheckOutcome.NOT_APPLICABLE:
        why = f"; nothing got past {finding.removed_by}" if finding.removed_by else ""
        return visible(", ".join([f"it applied to nothing{why}", *_missing(finding)]))
    rate = f" ({rule_rate_text(finding.rate)})" if finding.rate else ""
    parts = [f"{finding.satisfied:,} satisfied", f"{finding.violated:,} violated of {_applied(finding)}{rate}"]
    parts += [f"{counted(count, 'error')} in {clause}" for clause, count in finding.errors.items() if count]
    parts += [f"{finding.needs_model:,} need a model"] if finding.needs_model else []
    if finding.bound is not None:
        parts.append(f"cases like these: at least {floor(100 * finding.bound)} % hold")
    parts += map(visible, _missing(finding))
    if finding.passed_by:
        parts.append(f"weak: bots that do nothing useful satisfy it ({', '.join(finding.passed_by)})")
    return ", ".join(parts) + (f" (estimated: {_estimated(finding)})" if finding.estimate else "")


def _missing(finding: Finding) -> Iterator[str]:
    for cause in finding.missing:
        yield f"not applicable to {counted(cause.conversations, 'conversation')}: {cause.reason}"


def _applied(finding: Finding) -> str:
    unit = {1: "conversation", 2: "pair", "all": "set"}.get(finding.conversations, "tuple")
    return counted(finding.applicable, unit)


def _estimated(finding: Finding) -> str:
    sample = finding.estimate
    assert sample is not None, "asked only where there is one"
    return (
        f"{sample.sampled:,} sampled of {sample.candidates:,} candidates, "
        f"{percent(sample.violated)} % violated, {bounds(sample.low, sample.high)} % of all"
        " candidates"
    )


def details(finding: Finding) -> Iterator[str]:
    """Yield problems of the rule, examples, causes of errors, and the conversations involved most."""
    yield from (visible(str(problem)) for problem in finding.invalid)
    for example in finding.examples:
        yield _example(example)
        yield from (
            visible(f"    {said.conversation}, message {said.at + 1}: {said.text!r}") for said in example.evidence
        )
    yield from (_cause(cause) for cause in finding.causes)
    if finding.conversations not in (1, "all") and finding.culprits:
        shares = (f"{each.conversation} ({each.violated:,} of {each.applicable:,})" for each in finding.culprits[:5])
        yield visible(f"most often involved: {', '.join(shares)}")


def _example(example: Example) -> str:
    who = ", ".join(example.conversations)
    return visible(f"{who}: {example.reason}" if who else example.reason)


def _cause(cause: Cause) -> str:
    number = counted(cause.conversations, "conversation")
    return visible(f"undecided in {cause.clause}: {cause.reason} ({number}, first {cause.first})")


_ORDER = [CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE, CheckOutcome.PASS]


Excerpt = Callable[[Problem, str], list[str]]


def findings_text(findings: Findings, *, excerpt: Excerpt = lambda problem, rule: []) -> Iterator[str]:
    """Yield one line for each rule, the worst last, then the totals.

    `excerpt` returns the lines that show the place of a problem; it also receives the name of the rule.
    """
    width = max((len(status(each)) for each in findings.findings), default=0)
    for finding in sorted(findings.findings, key=lambda each: -_ORDER.index(each.outcome)):
        yield f"{status(finding):<{width}}  {visible(finding.rule)}: {what(finding)}"
        for problem in finding.invalid:
            yield from (f"{'':<{width}}    {line}" for line in _placed(problem, excerpt(problem, finding.rule)))
        if finding.outcome is not CheckOutcome.PASS and not finding.invalid:
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
        CheckOutcome.PASS: "hold",
        CheckOutcome.FAIL: "violated",
        CheckOutcome.ERROR: "undecided or invalid",
        CheckOutcome.NOT_APPLICABLE: "not exercised",
    }
    outcomes = ", ".join(f"{count:,} {words[outcome]}" for outcome, count in counts if count) or "no rules"
    skipped = f" ({counted(findings.skipped, 'file')} skipped)" if findings.skipped else ""
    return f"{outcomes}, over {counted(findings.conversations, 'conversation')}{skipped}"
