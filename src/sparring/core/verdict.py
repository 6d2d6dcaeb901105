"""What was found: about one conversation, or about a set of them."""

from enum import StrEnum
from typing import Literal

from pydantic import NonNegativeInt

from sparring.core.conversation import Evidence
from sparring.core.value import Value


class Outcome(StrEnum):
    """How a check came out."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class Verdict(Value):
    """What one rubric or one-conversation rule found about one conversation, and who decided."""

    check: str
    outcome: Outcome
    conversation: str
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    score: float | None = None
    by: Literal["model", "checklist", "order", "rule", "human"] = "rule"


class Example(Value):
    """Conversations that together violated a rule, or raised an error in it, and the reason."""

    conversations: tuple[str, ...]
    outcome: Outcome
    reason: str = ""


class Finding(Value):
    """What one rule found over a set: exact counts, the first examples, and how it came out.

    `total` = applicable + not_applicable + errors in `when` and `if`; `applicable` = satisfied + violated + errors in
    `then`. Errors are counted by the clause that raised them.
    """

    rule: str
    total: NonNegativeInt = 0
    applicable: NonNegativeInt = 0
    satisfied: NonNegativeInt = 0
    violated: NonNegativeInt = 0
    not_applicable: NonNegativeInt = 0
    errors: dict[Literal["when", "if", "then"], NonNegativeInt] = {"when": 0, "if": 0, "then": 0}
    examples: tuple[Example, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Fail beats error, error beats pass; a rule that nothing exercised is not applicable."""
        if self.violated:
            return Outcome.FAIL
        if any(self.errors.values()):
            return Outcome.ERROR
        return Outcome.PASS if self.satisfied else Outcome.NOT_APPLICABLE
