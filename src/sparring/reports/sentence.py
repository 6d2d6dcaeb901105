"""The result of a batch in one sentence."""

from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome
from sparring.reports.lines import counted
from sparring.reports.summary import Summary
from sparring.statistics.intervals import interval


def sentence(summary: Summary) -> str:
    """Return one sentence for a manager: the verdict, the pass rate, and the unknown rest."""
    passed, failed = summary.outcomes[Outcome.PASSED], summary.outcomes[Outcome.FAILED]
    decided = passed + failed
    if not decided:
        return f"Nothing is known yet: none of {_conversations(summary.planned)} could be decided."
    low, high = interval(passed, decided)
    share = f"{passed:,} of {_conversations(decided)} passed ({passed / decided:.0%}"
    share += f", and with others like them {low:.0%} to {high:.0%} would)"
    return f"{_verdict(summary)}: {share}{_rest(summary)}."


def _verdict(summary: Summary) -> str:
    violated = sum(finding.outcome is CheckOutcome.FAIL for finding in summary.findings)
    if summary.outcome is Outcome.PASSED:
        return "The chatbot did what was asked of it"
    if summary.outcome is Outcome.FAILED and violated:
        return f"The chatbot is not ready, as {violated:,} rule{'s are' if violated > 1 else ' is'} violated"
    return "The chatbot is not ready" if summary.outcome is Outcome.FAILED else "It cannot be told whether it is ready"


def _rest(summary: Summary) -> str:
    """Return the conversations that are not in the pass rate."""
    parts = [
        (summary.outcomes[Outcome.UNDECIDED], "undecided"),
        (summary.outcomes[Outcome.VOID], "void"),
        (summary.not_run, "not run"),
    ]
    said = [f"{count:,} {what}" for count, what in parts if count]
    if summary.outcome is Outcome.PASSED and _only_words(summary):
        said.append("going by the words alone, without a rule")
    return f"; {', '.join(said)}" if said else ""


def _only_words(summary: Summary) -> bool:
    """Return True if only the checklist judged: it sees if goals were answered, not if the answers are right."""
    return not summary.findings and {each.judge for each in summary.scores} == {"checklist"}


def _conversations(count: int) -> str:
    return counted(count, "conversation")
