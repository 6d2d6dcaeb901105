"""What a rule found, in the words that every report of it shares."""

from collections.abc import Iterator

from sparring.core.text import visible
from sparring.core.verdict import Cause, Example, Finding, Outcome
from sparring.reporting.counted import counted

STATUS = {Outcome.PASS: "holds", Outcome.FAIL: "VIOLATED", Outcome.ERROR: "UNDECIDED"}


def status(finding: Finding) -> str:
    """One word for how it came out."""
    if finding.invalid:
        return "INVALID"
    return STATUS.get(finding.outcome, "NOT EXERCISED")


def what(finding: Finding) -> str:
    """One line: the numbers, and what they are numbers of."""
    if finding.invalid:
        return "the rule cannot be checked"
    if finding.outcome is Outcome.NOT_APPLICABLE:
        why = f"; nothing got past {finding.removed_by}" if finding.removed_by else ""
        return visible(f"it applied to nothing{why}")
    parts = [f"{finding.satisfied:,} satisfied", f"{finding.violated:,} violated of {_applied(finding)}"]
    parts += [f"{counted(count, 'error')} in {clause}" for clause, count in finding.errors.items() if count]
    parts += [f"{finding.needs_model:,} need a model"] if finding.needs_model else []
    if finding.bound is not None:
        parts.append(f"at least {finding.bound:.1%} hold beyond what was seen")
    return ", ".join(parts) + (f" (estimated: {_estimated(finding)})" if finding.estimate else "")


def _applied(finding: Finding) -> str:
    unit = {1: "conversation", 2: "pair", "all": "set"}.get(finding.conversations, "tuple")
    return counted(finding.applicable, unit)


def _estimated(finding: Finding) -> str:
    sample = finding.estimate
    assert sample is not None, "asked only where there is one"
    return (
        f"{sample.sampled:,} sampled of {sample.candidates:,} candidates, "
        f"{sample.violated:.1%} violated [{sample.low:.1%} to {sample.high:.1%}]"
    )


def details(finding: Finding) -> Iterator[str]:
    """What to look at: problems of the rule, examples with their evidence, what could not be decided, who is behind."""
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
