"""Rows of conversation lists, queries for them, and their totals. The store executes the queries."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.audit import Blame
from sparring.core.conversation import Conversation, Ending
from sparring.core.outcome import Decision, Outcome, first_attempt
from sparring.core.value import Value

LONGEST_REASON = 300
"""Characters of a reason that a list shows."""

Order = Literal["case", "outcome", "score", "ending", "turns", "seconds", "tokens", "cost"]


class ResultFields(Value):
    """What the result row of a conversation has besides its row in lists.

    `session` and `seed` are those of its case, `comment` is what a judge says of it.
    """

    session: str
    seed: int
    comment: str = ""
    evaluation_status: Literal["success", "failed", "not_evaluated"] = "not_evaluated"
    start_time: datetime | None = None
    error: str | None = None


class ConversationRow(Value):
    """The decision about a conversation, and its figures for lists.

    `first` is the outcome of the first attempt that was not void, None if that is this one. `failed` names the failed
    checks; `cost` is None if unknown. `words` is the text of all messages, for searching, and `result` is for
    result rows: they are stored, but not loaded.
    All other fields describe attempt number `attempt`.
    """

    conversation: str
    ending: Ending | None = None
    decision: Decision
    first: Outcome | None = None
    score: float | None = None
    turns: NonNegativeInt = 0
    seconds: NonNegativeFloat | None = None
    tokens: NonNegativeInt = 0
    cost: NonNegativeFloat | None = None
    failed: tuple[str, ...] = ()
    words: str = ""
    result: ResultFields | None = None
    attempt: PositiveInt = 1

    @property
    def outcome(self) -> Outcome:
        """Outcome of the last attempt."""
        return self.decision.outcome

    @property
    def first_outcome(self) -> Outcome:
        """Outcome of the first attempt that was not void, which rates count."""
        return self.first or self.outcome

    @property
    def counted(self) -> Decision:
        """Decision that rates count."""
        return first_attempt(self.decision, self.first, self.attempt)

    @property
    def blame(self) -> Blame | None:
        """Party to blame; None if the conversation passed."""
        return self.decision.blame

    @property
    def reason(self) -> str:
        """The first reason for the outcome that rates count, cut for a list; empty if that is a pass."""
        return short_reason(self.counted)


def short_reason(decision: Decision) -> str:
    """Return the first reason of a decision, cut for a list."""
    reason = decision.reason
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"


def searchable_words(conversation: Conversation) -> str:
    """Return all that was said and the names of all tools that were called, in lower case, for searching."""
    words = (text for said in conversation.messages for text in (said.text, *(call.name for call in said.tool_calls)))
    return "\n".join(words).casefold()


class ConversationQuery(Value):
    """Filter and order of a conversation list. Empty fields match everything.

    `outcomes` are those of first attempts, which rates count. `check` is the name of a failed check, `cause` the id of
    a cause, `text` a part of a message, `case` a prefix of the case id.
    """

    endings: tuple[Ending, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    scores: tuple[float, ...] = ()
    check: str = ""
    cause: str = ""
    blame: Blame | None = None
    text: str = ""
    tag: str = ""
    case: str = ""
    order: Order = "case"
    descending: bool = False


class RowTotals(Value):
    """Totals of conversation rows. `unpriced` counts rows of unknown cost.

    `outcomes` counts first attempts that were not void. `failed` counts failed checks, of failed conversations only.
    """

    conversations: NonNegativeInt = 0
    outcomes: Mapping[Outcome, NonNegativeInt] = {}
    scores: Mapping[float, NonNegativeInt] = {}
    failed: Mapping[str, NonNegativeInt] = {}
    tokens: NonNegativeInt = 0
    cost: NonNegativeFloat = 0.0
    unpriced: NonNegativeInt = 0

    @property
    def rate(self) -> float | None:
        """Share of passed conversations among passed and failed ones; None if there are none."""
        passed, failed = self.outcomes.get(Outcome.PASSED, 0), self.outcomes.get(Outcome.FAILED, 0)
        return passed / (passed + failed) if passed + failed else None

    @property
    def score(self) -> float | None:
        """Mean score of scored conversations; None if there are none."""
        count = sum(self.scores.values())
        return sum(score * number for score, number in self.scores.items()) / count if count else None
