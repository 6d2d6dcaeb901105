"""What was found: about one conversation, or about a set of them."""

from enum import StrEnum
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.conversation import Conversation, Evidence
from sparring.core.errors import Problem
from sparring.core.usage import Usage
from sparring.core.value import Value

HUMAN = "human"
"""The judge that is a person."""


class CheckOutcome(StrEnum):
    """How a check came out."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class Verdict(Value):
    """What one rubric or one-conversation rule found about one conversation, and who decided.

    `by` is the kind of judge: `model`, `checklist`, `order`, `rule`, `human`, what a plug-in calls itself, or nothing
    where nobody has said anything yet. `judge` is its whole name (`openai:gpt-4o-mini`), `rubric` the hash of what it
    was asked, and `usage` what it took to decide.
    """

    check: str
    outcome: CheckOutcome
    conversation: str
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    score: float | None = None
    by: str = "rule"
    judge: str = ""
    rubric: str = ""
    usage: Usage = Usage()


class ConversationWithVerdicts(Conversation):
    """A conversation with the verdicts about it, as `sparring show` prints it for programs."""

    verdicts: tuple[Verdict, ...] = ()


class QuotedEvidence(Evidence):
    """Words that show something, and the conversation they were said in."""

    conversation: str


class Example(Value):
    """Conversations that together violated a rule, the reason, and the words that show it."""

    conversations: tuple[str, ...]
    outcome: CheckOutcome = CheckOutcome.FAIL
    reason: str = ""
    evidence: tuple[QuotedEvidence, ...] = ()


class Cause(Value):
    """Why a rule could not be decided: in which clause, what went wrong, in how many conversations, and which first."""

    clause: Literal["when", "if", "then"]
    reason: str
    conversations: PositiveInt
    first: str


class Offender(Value):
    """A conversation that takes part in violations: in how many, out of how many times it was looked at."""

    conversation: str
    violated: PositiveInt
    applicable: PositiveInt


class Estimate(Value):
    """A count too large to be exact: the share of violations in a sample of the candidates, and its 95% interval."""

    sampled: PositiveInt
    candidates: PositiveInt
    violated: NonNegativeFloat
    low: NonNegativeFloat
    high: NonNegativeFloat


class Finding(Value):
    """What one rule found over a set: exact counts, the first examples, and how it came out.

    `total` counts tuples of conversations: all ordered ones of as many as the rule looks at, or 1 for a rule over all
    of them. `total` = applicable + not_applicable + errors and needs_model of `when` and `if`; `applicable` = satisfied
    + violated + errors and needs_model of `then`. `filtered` is what `when` and `if` left out: tuples, or for a rule
    over all, conversations. `needs_model` is counted apart from `errors`.

    `judged` is how a rule came out that asks for something else than that all hold: some, or a share of them. `bound`
    is the share that holds with the confidence asked for. `removed_by` is the condition that left nothing to check.
    `doubts` are comparisons that came out the same whatever was said, and so can hardly be meant.
    """

    rule: str
    file: str = ""
    description: str = ""
    conversations: PositiveInt | Literal["all"] = 1
    total: NonNegativeInt = 0
    filtered: NonNegativeInt = 0
    applicable: NonNegativeInt = 0
    satisfied: NonNegativeInt = 0
    violated: NonNegativeInt = 0
    not_applicable: NonNegativeInt = 0
    errors: dict[Literal["when", "if", "then"], NonNegativeInt] = {"when": 0, "if": 0, "then": 0}
    needs_model: NonNegativeInt = 0
    invalid: tuple[Problem, ...] = ()
    examples: tuple[Example, ...] = ()
    culprits: tuple[Offender, ...] = ()
    causes: tuple[Cause, ...] = ()
    judged: CheckOutcome | None = None
    bound: float | None = None
    estimate: Estimate | None = None
    removed_by: str = ""
    doubts: tuple[Problem, ...] = ()

    @property
    def outcome(self) -> CheckOutcome:
        """Fail beats error, error beats pass; a rule that nothing exercised is not applicable."""
        if self.invalid:
            return CheckOutcome.ERROR
        if self.judged is not None:
            return self.judged
        if self.violated:
            return CheckOutcome.FAIL
        if self.needs_model or any(self.errors.values()):
            return CheckOutcome.ERROR
        return CheckOutcome.PASS if self.satisfied else CheckOutcome.NOT_APPLICABLE


class Findings(Value):
    """What all rules found over the same conversations; `skipped` files were not conversations, and those that are
    `broken_off` have an ending that does not count."""

    conversations: NonNegativeInt = 0
    broken_off: NonNegativeInt = 0
    skipped: NonNegativeInt = 0
    findings: tuple[Finding, ...] = ()
