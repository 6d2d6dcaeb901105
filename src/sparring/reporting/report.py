"""Everything that a report of a batch is made of."""

from dataclasses import dataclass

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.verdict import Outcome, Verdict
from sparring.reporting.gating import Gated
from sparring.reporting.summary import Summary, judged


@dataclass(frozen=True)
class Told:
    """A conversation and everything that was found about it alone."""

    conversation: Conversation
    verdicts: tuple[Verdict, ...] = ()

    @property
    def came(self) -> tuple[Outcome, str]:
        """How it came out, and why unless it passed."""
        return judged(self.conversation, self.verdicts)


@dataclass(frozen=True)
class Report:
    """A batch, its summary, and those of its conversations that a report tells about; `gated` where there is a gate."""

    batch: Batch
    summary: Summary
    told: tuple[Told, ...] = ()
    gated: Gated | None = None
