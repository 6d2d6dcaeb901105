"""Everything that a report of a batch is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.summary import Summary, outcome_of

if TYPE_CHECKING:
    from sparring.reports.gate import Gated


@dataclass(frozen=True)
class ReportedConversation:
    """A conversation and everything that was found about it alone."""

    conversation: Conversation
    verdicts: tuple[Verdict, ...] = ()

    @property
    def came(self) -> tuple[CheckOutcome, str]:
        """How it came out, and why unless it passed."""
        return outcome_of(self.conversation, self.verdicts)


@dataclass(frozen=True)
class Report:
    """A batch in numbers; `gated` where there is a gate. What was said in it goes to listeners, one at a time."""

    batch: Batch
    summary: Summary
    gated: "Gated | None" = None


class Listener(Protocol):
    """Takes a batch one conversation at a time, and keeps as little of it as it can."""

    def found(self, findings: Sequence[Finding]) -> None:
        """What the rules found; it comes before the first conversation."""

    def add(self, conversation: Conversation, verdicts: Sequence[Verdict]) -> None:
        """A conversation, and everything that was found about it alone."""
