"""The result of a batch in one sentence."""

from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome
from sparring.reports.lines import counted
from sparring.reports.rate_text import both_claims, percent, weights_text
from sparring.reports.summary import Summary


def sentence(summary: Summary) -> str:
    """Return one sentence for a manager: the verdict, the pass rate, and the unknown rest."""
    found = summary.statistics
    if found is None or found.decided.value is None:
        return f"Nothing is known yet: none of {counted(summary.planned, 'conversation')} could be decided."
    decided = found.decided.these.conversations
    passed = f"{found.passed:,} of {counted(decided, 'conversation')} passed"
    weights = weights_text(found.decided, found.passed, decided)
    share = f"{percent(found.decided.value, 1)} %{weights}; {both_claims(found.decided)}"
    return f"{_verdict(summary)}: {passed} ({share}){_rest(summary)}."


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
