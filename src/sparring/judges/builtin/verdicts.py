"""Verdicts of built-in checks."""

from typing import NamedTuple

from sparring.core.conversation import Conversation, Evidence
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import verdict_by


class Defect(NamedTuple):
    """The reason why a conversation fails, and its quotes: message, start and end of each."""

    reason: str
    quotes: tuple[tuple[int, int, int], ...]


def verdict(check: str, conversation: Conversation, finding: Defect | None) -> Verdict:
    """Return a failure with evidence, or not applicable: a built-in check never passes."""
    if finding is None:
        return verdict_by(check, conversation, CheckOutcome.NOT_APPLICABLE)
    evidence = tuple(
        Evidence(at=at, start=start, end=end, text=conversation.messages[at].text[start:end])
        for at, start, end in finding.quotes
    )
    return verdict_by(check, conversation, CheckOutcome.FAIL, finding.reason, evidence=evidence)
