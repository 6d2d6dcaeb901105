"""Values of a comparison of two batches."""

from datetime import datetime
from operator import not_
from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.checks import Attempts
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.batch_statistics import Intervals
from sparring.reports.causes import CauseSummary
from sparring.reports.measures import Spread
from sparring.statistics.estimates import Difference, Interval

Kind = Literal["passed", "failed", "better", "worse", "undecided"]
KINDS: tuple[Kind, ...] = ("passed", "failed", "better", "worse", "undecided")
Direction = Literal["better", "worse", "not told"]

SIGNIFICANT = 0.05
"""The chance of seeing such a change where there is none, below which it is called one."""

_BEYOND_DOUBT = 0.001
_COMMON = 0.8
"""Share of cases that a batch has in common with its baseline, below which they are not compared."""

FEWEST = 6
"""Cases that it takes for a test about cases like these to be significant."""


class ComparedConversation(Value):
    """One of the two batches in numbers.

    `rate` is the pass rate over what passed or failed, with each case weighing the same, and `intervals` are its
    intervals for both claims. `bounds` is the share of conversations that passed if everything that is undecided, void
    or not run had failed, and if it had passed. `seconds` are the times to a reply, `attempts` those that count;
    `last_passed` and `last_failed` count outcomes of last attempts.
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
    last_passed: NonNegativeInt = 0
    last_failed: NonNegativeInt = 0
    rate: float | None = None
    intervals: Intervals | None = None
    bounds: tuple[float, float] | None = None
    turns: Spread = Spread()
    seconds: Spread = Spread()
    usage: Usage = Usage()


class Change(Value):
    """A change from the first batch to the second, paired by case, with both claims about it.

    `better`, `worse` and `same` count cases by the mean of their repeats. `unpaired` cases have no repeat that both
    batches decided: only in one of them, not run, void, or undecided. `before` and `after` are the values over paired
    cases. `p` is that of an exact test of these cases, `adjusted_p` takes the number of questions asked together into
    account (Holm), and `direction` follows from it.
    """

    better: NonNegativeInt = 0
    worse: NonNegativeInt = 0
    same: NonNegativeInt = 0
    unpaired: NonNegativeInt = 0
    before: float | None = None
    after: float | None = None
    these: Difference | None = None
    like_these: Difference | None = None
    p: float = 1.0
    adjusted_p: float = 1.0
    direction: Direction = "not told"

    @property
    def compared(self) -> int:
        """Number of cases that both batches decided."""
        return self.better + self.worse + self.same


class Detectable(Value):
    """The fall that a comparison like this one would have told, as a share, in about four of five times.

    `conversations` is the number of additional ones, in both batches together, that would tell the change that was
    seen, and `cost` their price in US dollars; None if it is too small, or the price is unknown.
    """

    fall: float
    conversations: PositiveInt | None = None
    cost: NonNegativeFloat | None = None


class ScoresOfBoth(Value):
    """Scores of one judge by one rubric in both batches, over the cases that have both.

    The score that decides is tested together with the pass rate and the crashes.
    """

    check: str
    judge: str
    rubric: str = ""
    decides: bool = False
    before: Spread
    after: Spread
    counts_before: dict[str, NonNegativeInt] = {}
    counts_after: dict[str, NonNegativeInt] = {}
    change: Change = Change()

    @property
    def values(self) -> list[str]:
        """Scores of either batch, the lowest first."""
        return sorted(self.counts_before.keys() | self.counts_after.keys(), key=float)

    @property
    def most(self) -> int:
        """Largest number of conversations with one score."""
        return max((*self.counts_before.values(), *self.counts_after.values()), default=1)


class Pair(Value):
    """A conversation in both batches, with its outcome and reason before and after.

    `cause` is the id of its cause in the second batch, else in the first. `earlier` is its id in the first batch, if
    that has another one: the file of its case had another name.
    """

    conversation: str
    earlier: str = Field("", exclude_if=not_)
    before: Outcome
    after: Outcome
    reason_before: str = ""
    reason_after: str = ""
    cause: str = ""


Evidence = Literal["", "replayed", "deterministic"]
"""Why a violation is no chance: its conversations were held again, or both chatbots are known to repeat themselves."""


class RuleChange(Value):
    """Findings of the same rule over several conversations in both batches.

    Counts are of its candidates: pairs, or the whole batch. `rate_before` and `rate_after` are shares of violations
    with their intervals over cases; `p` tests their difference, and `adjusted_p` takes the number of rules into
    account. `tested` is False if there is one look at each batch only.
    """

    rule: str
    before: CheckOutcome
    after: CheckOutcome
    violated_before: NonNegativeInt = 0
    applicable_before: NonNegativeInt = 0
    violated_after: NonNegativeInt = 0
    applicable_after: NonNegativeInt = 0
    conversations: PositiveInt | Literal["all"] = 2
    rate_before: Interval | None = None
    rate_after: Interval | None = None
    tested: bool = False
    change: float = 0.0
    p: float = 1.0
    adjusted_p: float = 1.0
    direction: Direction = "not told"
    evidence: Evidence = ""

    @property
    def newly_violated(self) -> bool:
        """True if the rule held before and is violated now. Undecided before does not count."""
        return (self.before, self.after) == (CheckOutcome.PASS, CheckOutcome.FAIL)

    @property
    def broken(self) -> bool:
        """True if the rule held before and is violated now, which is no chance."""
        return self.newly_violated and bool(self.evidence)


class Night(Value):
    """A batch of a series, with the change of its pass rate from the baseline, if any case was decided."""

    batch: str
    created: datetime
    change: Difference | None


class Baseline(Value):
    """The nights of a series that a batch is compared with, pooled by case.

    `left_out` cases are new or have another content. `common` is the share of cases that both sides
    have. `last_night` are the primary changes that were already significantly worse in the batch before this one.
    `series` are the latest batches after the baseline, this one included.
    """

    nights: PositiveInt
    since: datetime
    left_out: NonNegativeInt = 0
    common: float = 1.0
    last_night: tuple[str, ...] = ()
    series: tuple[Night, ...] = ()

    @property
    def outdated(self) -> bool:
        """True if too few cases are the same for a comparison."""
        return self.common < _COMMON


class Comparison(Value):
    """What changed from batch `before` to batch `after`, paired by case and repeat.

    `pairs` counts conversations that both have: passed in both, failed in both, better, worse, or not decided in one of
    them. `only_before` and `only_after` were planned in one of the batches alone; `not_run` are planned in both, and
    one of them lacks it. `changes` is about the pass rate, and so is `detectable`; `crashes` is about the share of
    conversations in which the chatbot crashed. `tags` has the pass rates of the cases with a tag, `checks` the results
    of each check on one conversation, and `rules` the findings of rules over several. `causes` are those of failures in
    either batch, with their status. `worse`, `better` and `undecided` name pairs, the first of each cause first.
    `baseline` is given if `before` is the baseline of a series. `sentence` is the result in one line.
    `differences` are in words what else is not the same, so that a new judge is not mistaken for a better chatbot.
    """

    before: ComparedConversation
    after: ComparedConversation
    differences: tuple[str, ...] = ()
    pairs: dict[Kind, NonNegativeInt]
    only_before: NonNegativeInt = 0
    only_after: NonNegativeInt = 0
    not_run: NonNegativeInt = 0
    changes: Change = Change()
    detectable: Detectable | None = None
    crashes: Change = Change()
    tags: dict[str, Change] = {}
    checks: dict[str, Change] = {}
    rules: tuple[RuleChange, ...] = ()
    scores: tuple[ScoresOfBoth, ...] = ()
    causes: tuple[CauseSummary, ...] = ()
    worse: tuple[Pair, ...] = ()
    better: tuple[Pair, ...] = ()
    undecided: tuple[Pair, ...] = ()
    baseline: Baseline | None = None
    sentence: str = ""

    def __str__(self) -> str:
        """Return the result in one line."""
        return self.sentence

    @property
    def rules_that_changed(self) -> tuple[RuleChange, ...]:
        """Rules over several conversations with a different outcome or a significant change."""
        return tuple(each for each in self.rules if each.before is not each.after or each.direction != "not told")

    @property
    def broken(self) -> tuple[str, ...]:
        """Rules over several conversations that held before and are violated now, which is no chance."""
        return tuple(change.rule for change in self.rules if change.broken)

    @property
    def primary(self) -> dict[str, Change]:
        """Changes that decide, by name: of the pass rate, of the crashes, and of the score that decides."""
        scores = {f"mean score of {each.check}": each.change for each in self.scores if each.decides}
        return {"pass rate": self.changes, "crashes": self.crashes, **scores}

    @property
    def direction(self) -> Direction:
        """Worse if any primary change is, else better if any is."""
        found = {change.direction for change in self.primary.values()}
        return "worse" if "worse" in found else "better" if "better" in found else "not told"

    @property
    def deciding(self) -> tuple[str, Change]:
        """The primary change that the result states, with its name: that of the pass rate if none is told."""
        rate = ("pass rate", self.changes)
        return next((each for each in self.primary.items() if each[1].direction == self.direction), rate)

    @property
    def got_worse(self) -> bool:
        """True if a primary change is significantly worse, or if a rule is broken.

        In a series, one night has to be worse beyond doubt, or two in a row: p < 0.05 alone alarms too often.
        """
        worse = {name: change.adjusted_p for name, change in self.primary.items() if change.direction == "worse"}
        if self.baseline is None:
            return bool(self.broken or worse)
        again = worse.keys() & set(self.baseline.last_night)
        return bool(self.broken or again) or any(p < _BEYOND_DOUBT for p in worse.values())

    @property
    def watch(self) -> bool:
        """True if a batch of a series is worse, but not yet enough for an alarm."""
        return self.baseline is not None and self.direction == "worse" and not self.got_worse

    def excludes(self, margin: float) -> bool:
        """Return True if the pass rate of these cases did not fall by `margin`, a share from 0 to 1, or more."""
        change = self.changes.these
        return change is not None and change.value is not None and change.low > -margin
