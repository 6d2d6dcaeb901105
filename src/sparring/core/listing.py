"""Rows of conversation lists, queries for them, and their totals. The store executes the queries."""

from collections.abc import Mapping
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.conversation import Conversation, Ending
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome

LONGEST_REASON = 300
"""Characters of a reason that a list shows."""

Order = Literal["case", "outcome", "score", "ending", "turns", "seconds", "tokens", "cost"]


class ConversationRow(Value):
    """Summary of a conversation for lists. `failed` names its failed checks; `cost` is None if unknown.

    `words` is the text of all messages, for searching: it is stored, but not loaded. All other fields describe attempt
    number `attempt`.
    """

    conversation: str
    ending: Ending | None = None
    outcome: CheckOutcome
    reason: str = ""
    score: float | None = None
    turns: NonNegativeInt = 0
    seconds: NonNegativeFloat | None = None
    tokens: NonNegativeInt = 0
    cost: NonNegativeFloat | None = None
    failed: tuple[str, ...] = ()
    words: str = ""
    attempt: PositiveInt = 1


def searchable_words(conversation: Conversation) -> str:
    """Return all that was said and the names of all tools that were called, in lower case, for searching."""
    words = (text for said in conversation.messages for text in (said.text, *(call.name for call in said.tool_calls)))
    return "\n".join(words).casefold()


def shortened(row: ConversationRow) -> ConversationRow:
    """Return a row with its reason cut to what a list shows."""
    if len(row.reason) <= LONGEST_REASON:
        return row
    return row.model_copy(update={"reason": f"{row.reason[:LONGEST_REASON]}…"})


class ConversationQuery(Value):
    """Filter and order of a conversation list. Empty fields match everything.

    `check` is the name of a failed check, `text` a part of a message, `case` a prefix of the case id.
    """

    endings: tuple[Ending, ...] = ()
    outcomes: tuple[CheckOutcome, ...] = ()
    scores: tuple[float, ...] = ()
    check: str = ""
    text: str = ""
    tag: str = ""
    case: str = ""
    order: Order = "case"
    descending: bool = False


class RowTotals(Value):
    """Totals of conversation rows. `unpriced` counts rows of unknown cost.

    `failed` counts failed checks, of failed conversations only: void and undecided ones are left out.
    """

    conversations: NonNegativeInt = 0
    outcomes: Mapping[CheckOutcome, NonNegativeInt] = {}
    scores: Mapping[float, NonNegativeInt] = {}
    failed: Mapping[str, NonNegativeInt] = {}
    tokens: NonNegativeInt = 0
    cost: NonNegativeFloat = 0.0
    unpriced: NonNegativeInt = 0

    @property
    def rate(self) -> float | None:
        """Share of passed conversations among passed and failed ones; None if there are none."""
        passed, failed = self.outcomes.get(CheckOutcome.PASS, 0), self.outcomes.get(CheckOutcome.FAIL, 0)
        return passed / (passed + failed) if passed + failed else None

    @property
    def score(self) -> float | None:
        """Mean score of scored conversations; None if there are none."""
        count = sum(self.scores.values())
        return sum(score * number for score, number in self.scores.items()) / count if count else None
