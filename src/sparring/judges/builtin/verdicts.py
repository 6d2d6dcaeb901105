"""Verdicts of built-in checks."""

from typing import NamedTuple

from sparring.core.conversation import Conversation, Evidence
from sparring.core.verdict import CheckOutcome, Verdict


class Defect(NamedTuple):
    """The reason why a conversation fails, and its quotes: message, start and end of each."""

    reason: str
    quotes: tuple[tuple[int, int, int], ...]


def verdict(check: str, conversation: Conversation, finding: Defect | None) -> Verdict:
    """Return a failure with evidence, or not applicable: a built-in check never passes."""
    return Verdict(
        check=check,
        outcome=CheckOutcome.FAIL if finding else CheckOutcome.NOT_APPLICABLE,
        conversation=conversation.id,
        reason=finding.reason if finding else "",
        evidence=tuple(
            Evidence(at=at, start=start, end=end, text=conversation.messages[at].text[start:end])
            for at, start, end in (finding.quotes if finding else ())
        ),
        by=check,
        judge=check,
    )
