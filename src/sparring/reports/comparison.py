"""Values of a comparison of two batches."""

from typing import Literal

from pydantic import NonNegativeInt

from sparring.core.checks import Attempts
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.measures import Spread

Kind = Literal["passed", "failed", "better", "worse", "undecided"]
KINDS: tuple[Kind, ...] = ("passed", "failed", "better", "worse", "undecided")
Direction = Literal["better", "worse", "unchanged", "too few to tell"]

SIGNIFICANT = 0.05
"""The chance of seeing such a change where there is none, below which it is called one."""

FEWEST = 6
"""As many differences as it takes, if all of them point one way, for any test to tell."""


class ComparedConversation(Value):
    """One of the two batches in numbers.

    `rate` is the share of conversations that passed among those that passed or failed, `interval` its 95% interval by
    Wilson. `bounds` is that share if everything that is undecided, void or not run had failed, and if it had passed.
    `seconds` are the times to a reply, `attempts` those that count.
    """

    batch: str
    name: str = ""
    who: str
    seed: NonNegativeInt
    attempts: Attempts = "first"
    planned: NonNegativeInt = 0
    passed: NonNegativeInt = 0
    failed: NonNegativeInt = 0
    undecided: NonNegativeInt = 0
    void: NonNegativeInt = 0
    not_run: NonNegativeInt = 0
    rate: float | None = None
    interval: tuple[float, float] | None = None
    bounds: tuple[float, float] | None = None
    turns: Spread = Spread()
    seconds: Spread = Spread()
    usage: Usage = Usage()


class Change(Value):
    """How cases (or the verdicts about them) changed from the first batch to the second.

    A case counts once, however often it was repeated, since its repeats are not independent: it got better if more of
    its repeats passed. `p` is how likely so lopsided a split is by chance alone: exact, two-sided. `unpaired` cases
    have no repeat that both batches decided: only in one of them, not run, void, or undecided.
    """

    better: NonNegativeInt = 0
    worse: NonNegativeInt = 0
    same: NonNegativeInt = 0
    unpaired: NonNegativeInt = 0
    p: float = 1.0

    @property
    def direction(self) -> Direction:
        """Direction of a significant change; with fewer than six differences no test is significant."""
        if self.p < SIGNIFICANT:
            return "better" if self.better > self.worse else "worse"
        return "too few to tell" if 0 < self.better + self.worse < FEWEST else "unchanged"


class ScoresOfBoth(Value):
    """Scores of one judge for one check in both batches, over the pairs that have both."""

    check: str
    judge: str
    before: Spread
    after: Spread
    counts_before: dict[str, NonNegativeInt] = {}
    counts_after: dict[str, NonNegativeInt] = {}


class Pair(Value):
    """A conversation in both batches, with its outcome and reason before and after."""

    conversation: str
    before: Outcome
    after: Outcome
    reason_before: str = ""
    reason_after: str = ""


class RuleChange(Value):
    """Findings of the same rule over several conversations in both batches.

    Counts are of its candidates: pairs, or the whole batch.
    """

    rule: str
    before: CheckOutcome
    after: CheckOutcome
    violated_before: NonNegativeInt = 0
    applicable_before: NonNegativeInt = 0
    violated_after: NonNegativeInt = 0
    applicable_after: NonNegativeInt = 0

    @property
    def broken(self) -> bool:
        """True if the rule held before and is violated now. Undecided before does not count."""
        return (self.before, self.after) == (CheckOutcome.PASS, CheckOutcome.FAIL)


class Comparison(Value):
    """What changed from batch `before` to batch `after`, paired by case and repeat.

    `pairs` counts conversations that both have: passed in both, failed in both, better, worse, or not decided in one of
    them. `only_before` and `only_after` were planned in one of the batches alone; `not_run` are planned in both, and
    one of them lacks it. `changes` is about cases, `tags` about those with a tag, `checks` about what each check said
    about one conversation, and `rules` about what rules over several found.
    `differences` are in words what else is not the same, so that nobody takes a new judge for a better chatbot.
    """

    before: ComparedConversation
    after: ComparedConversation
    differences: tuple[str, ...] = ()
    pairs: dict[Kind, NonNegativeInt]
    only_before: NonNegativeInt = 0
    only_after: NonNegativeInt = 0
    not_run: NonNegativeInt = 0
    changes: Change = Change()
    tags: dict[str, Change] = {}
    checks: dict[str, Change] = {}
    rules: tuple[RuleChange, ...] = ()
    scores: tuple[ScoresOfBoth, ...] = ()
    worse: tuple[Pair, ...] = ()
    better: tuple[Pair, ...] = ()
    undecided: tuple[Pair, ...] = ()

    @property
    def rules_that_changed(self) -> tuple[RuleChange, ...]:
        """Rules over several conversations with a different outcome."""
        return tuple(change for change in self.rules if change.before is not change.after)

    @property
    def broken(self) -> tuple[str, ...]:
        """Rules over several conversations that held before and are violated now."""
        return tuple(change.rule for change in self.rules if change.broken)

    @property
    def got_worse(self) -> bool:
        """True if significantly more cases got worse, or if a rule is broken, which needs no test."""
        return bool(self.broken) or self.changes.direction == "worse"
