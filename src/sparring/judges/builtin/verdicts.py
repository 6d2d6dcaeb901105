"""Verdicts of built-in checks."""

from typing import NamedTuple

from sparring.core.conversation import Conversation, Evidence
from sparring.core.verdict import CheckOutcome, Verdict


class Defect(NamedTuple):
    """The reason why a conversation fails, and its quotes: message, start and end of each."""

    reason: str
    quotes: tuple[tuple[int, int, int], ...]


_NOT_APPLICABLE = Verdict(check="", outcome=CheckOutcome.NOT_APPLICABLE, conversation="")


def verdict(check: str, conversation: Conversation, finding: Defect | None) -> Verdict:
    """Return a failure with evidence, or not applicable: a built-in check never passes."""
    if finding is None:
        return _NOT_APPLICABLE.changed(check=check, conversation=conversation.id, by=check, judge=check)
    return Verdict(
        check=check,
        outcome=CheckOutcome.FAIL,
        conversation=conversation.id,
        reason=finding.reason,
        evidence=tuple(
            Evidence(at=at, start=start, end=end, text=conversation.messages[at].text[start:end])
            for at, start, end in finding.quotes
        ),
        by=check,
        judge=check,
    )
