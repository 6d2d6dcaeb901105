"""Verdicts on one conversation, and findings of rules over sets of conversations."""

from datetime import datetime
from enum import StrEnum
from operator import not_
from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.audit import Audit, Blame, Need
from sparring.core.causes import Symptom
from sparring.core.conversation import Evidence
from sparring.core.errors import Problem
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.statistics.estimates import Interval

CHECKLIST = "checklist"
"""Value of `Verdict.by` for verdicts of the checklist, and the name of that judge."""

HUMAN = "human"
"""Value of `Verdict.by` for verdicts given by a person."""

LABEL = "label"
"""Name of the judge of labels: a person's verdicts that decide no outcome, and tell how good other judges are."""

NOTE = "note"
"""Name of the judge of marks: a person's note on a conversation, which says nothing about its outcome."""


class CheckOutcome(StrEnum):
    """Outcome of one check."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"


class Verdict(Value):
    """Outcome of one rubric or rule on one conversation, with its judge.

    `by` is the kind of judge: `model`, `checklist`, `order`, `rule`, `human`, the name of a plug-in, or empty before
    any verdict. `judge` is the full name (`openai:gpt-4o-mini`), `rubric` the hash of the rubric, `usage` the usage of
    the judge. `blame` is given where a verdict that is not a pass is due to another party than usual: a failed check is
    the chatbot's, one without a result the judge's. A verdict of null bots lists those that pass the case in
    `passed_by`. `symptoms` say what each failed part saw, for the cause of the failure. `needs` lists what each failed
    part of a check reads; a check without it reads everything. The verdict of the audit has its faults in `audit`.
    `retries` counts attempts of the judge's calls that were made again. `attempt` counts the verdicts of a judge on one
    conversation by one rubric. A label has the person who gave it in `who`, its time in `given`, and is `blind` if that
    person saw no outcome; its `weight` is the number of conversations that it stands for, where it was drawn.
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
    retries: NonNegativeInt = Field(0, exclude_if=not_)
    blame: Blame | None = None
    passed_by: tuple[str, ...] = ()
    needs: tuple[Need, ...] = Field((), exclude_if=not_)
    symptoms: tuple[Symptom, ...] = Field((), exclude_if=not_)
    audit: Audit | None = Field(None, exclude_if=not_)
    who: str = Field("", exclude_if=not_)
    given: datetime | None = Field(None, exclude_if=not_)
    blind: bool = Field(False, exclude_if=not_)
    weight: float | None = Field(None, gt=0, exclude_if=lambda weight: weight is None)
    attempt: PositiveInt = Field(1, exclude_if=lambda attempt: attempt == 1)


class QuotedEvidence(Evidence):
    """A quote together with the id of its conversation."""

    conversation: str


class Example(Value):
    """Conversations that together violated a rule, with the reason and quotes."""

    conversations: tuple[str, ...]
    outcome: CheckOutcome = CheckOutcome.FAIL
    reason: str = ""
    evidence: tuple[QuotedEvidence, ...] = ()


class Cause(Value):
    """Reason why a rule was undecided or did not apply: clause, reason, conversations, first one."""

    clause: Literal["when", "if", "then"]
    reason: str
    conversations: PositiveInt
    first: str


class Offender(Value):
    """A conversation in violating combinations: `violated` of the `applicable` ones it takes part in."""

    conversation: str
    violated: PositiveInt
    applicable: PositiveInt


class ViolationEstimate(Value):
    """Estimate of a count too large for exact counting: violations in a sample, with a 95 % interval.

    `low` and `high` bound the interval; `candidates` is the number of combinations the sample was drawn from.
    """

    sampled: PositiveInt
    candidates: PositiveInt
    violated: NonNegativeFloat
    low: NonNegativeFloat
    high: NonNegativeFloat


class CaseTuples(Value):
    """Numbers of violated and applicable tuples with a conversation of each case.

    A tuple inside one case counts once for it. Cases that are not in `counts` have the numbers of `others`.
    """

    others: tuple[NonNegativeInt, NonNegativeInt] = (0, 0)
    counts: dict[str, tuple[NonNegativeInt, NonNegativeInt]] = {}

    def of(self, case: str) -> tuple[int, int]:
        """Return the violated and the applicable tuples with a conversation of a case."""
        return self.counts.get(case, self.others)


class Finding(Value):
    """Outcome of one rule over a set of conversations: exact counts and the first examples.

    `total` counts tuples of conversations: all ordered tuples of the rule's size, or 1 for a rule over all
    conversations. `total` = applicable + not_applicable + errors and needs_model of `when` and `if`; `applicable` =
    satisfied + violated + errors and needs_model of `then`. `filtered` counts what `when` and `if` removed: tuples, or
    conversations for a rule over all. `needs_model` is not included in `errors`.

    `judged` is the outcome of a rule with another quantifier than "all" or with a share. `bound` is the share that
    holds with the requested confidence. `missing` are names that some conversations do not define, so that the
    rule does not apply to them. `removed_by` is the condition that removed every candidate. `doubts` are
    comparisons whose result was the same for every conversation, so they are probably mistakes. `passed_by` are null
    bots that satisfy a rule over several conversations: it holds of chatbots that do nothing useful. `by_case` has the
    tuples of each case, extrapolated if they were sampled, and `rate` the share of violated ones with its interval over
    cases, for a rule that has to hold for all tuples. For a rule over all conversations or with another quantifier,
    `by_repeat` tells of each repeat, from the first on, if the rule is violated over its conversations alone; None if
    it is not decided.
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
    estimate: ViolationEstimate | None = None
    missing: tuple[Cause, ...] = ()
    removed_by: str = ""
    doubts: tuple[Problem, ...] = ()
    passed_by: tuple[str, ...] = ()
    by_case: CaseTuples | None = Field(None, exclude_if=not_)
    rate: Interval | None = Field(None, exclude_if=not_)
    by_repeat: tuple[bool | None, ...] = Field((), exclude_if=not_)

    @property
    def drawn(self) -> int:
        """Number of applicable tuples in the sample; 0 if all were counted."""
        return round(self.applicable * self.estimate.sampled / self.estimate.candidates) if self.estimate else 0

    @property
    def outcome(self) -> CheckOutcome:
        """Outcome of the rule: fail beats error, error beats pass; not applicable if it applied to nothing."""
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
    """Findings of all rules over the same conversations.

    `skipped` files were not conversations; `broken_off` conversations have an ending that does not count.
    """

    conversations: NonNegativeInt = 0
    broken_off: NonNegativeInt = 0
    skipped: NonNegativeInt = 0
    findings: tuple[Finding, ...] = ()
