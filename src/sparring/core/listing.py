"""A conversation in one row of a list: what it is found, filtered and sorted by."""

from collections.abc import Mapping
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.conversation import Ending
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome

Order = Literal["case", "outcome", "score", "ending", "turns", "seconds", "tokens", "cost"]


class ConversationRow(Value):
    """How a conversation came out, in short. `failed` are the checks that failed; `cost` is None where it is unknown.

    `words` is everything that was said, for searching; it is kept, and not read again. `attempt` says of which attempt
    at the conversation all this holds.
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


class ConversationQuery(Value):
    """Which conversations are wanted, and in which order; what is left out does not matter.

    `check` is one that failed, `text` something that was said, `case` how the case's id begins.
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
    """Briefs added up: how many there are, how they came out, and what they took; `unpriced` have no known cost, and
    `failed` are the checks of those that failed: what does not count fails none.
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
        """The share that passed, of those that passed or failed."""
        passed, failed = self.outcomes.get(CheckOutcome.PASS, 0), self.outcomes.get(CheckOutcome.FAIL, 0)
        return passed / (passed + failed) if passed + failed else None

    @property
    def score(self) -> float | None:
        """The mean score of those that have one."""
        count = sum(self.scores.values())
        return sum(score * number for score, number in self.scores.items()) / count if count else None
