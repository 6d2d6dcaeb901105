"""A conversation as reports receive it: with its verdicts, and the decision that is recorded about it."""

from dataclasses import dataclass

from sparring.core.checks import Attempts
from sparring.core.conversation import Conversation
from sparring.core.outcome import Decision, Outcome, first_attempt
from sparring.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class ReportedConversation:
    """A conversation with its own verdicts, and the decision about its last attempt.

    `first` is the outcome of the first attempt that was not void, None if that is the last one.
    """

    conversation: Conversation
    decision: Decision
    verdicts: tuple[Verdict, ...] = ()
    first: Outcome | None = None

    @property
    def attempt(self) -> int:
        """Number of the last attempt, from 1."""
        return self.conversation.timing.attempt if self.conversation.timing else 1

    def counted(self, attempts: Attempts = "first") -> Decision:
        """Return the decision that rates count."""
        return self.decision if attempts == "last" else first_attempt(self.decision, self.first, self.attempt)
