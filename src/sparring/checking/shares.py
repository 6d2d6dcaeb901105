"""How a rule comes out that asks for something else than that all hold: some, a share, or one for each."""

from sparring.core.checks import Rule
from sparring.core.verdict import Finding, Outcome
from sparring.statistics.intervals import wilson


def with_outcome(rule: Rule, finding: Finding, used: int) -> Finding:
    """The finding with its outcome, if the rule asks for a share or for some. `used` conversations were looked at.

    What could not be decided counts against a rule that would pass, and for one that would fail: only if neither
    changes the outcome is there one.
    """
    undecided = finding.needs_model + sum(finding.errors.values())
    decided = finding.satisfied + finding.violated
    if rule.at_least is None and rule.quantifier == "forall":
        return finding
    if not decided + undecided:
        return finding.model_copy(update={"judged": Outcome.NOT_APPLICABLE})
    if rule.at_least is None:
        outcome = Outcome.PASS if finding.satisfied else Outcome.ERROR if undecided else Outcome.FAIL
        return finding.model_copy(update={"judged": outcome})
    lowest = bound(finding.satisfied / (decided + undecided), used, rule.confidence)
    highest = bound((finding.satisfied + undecided) / (decided + undecided), used, rule.confidence)
    certain = Outcome.PASS if lowest >= rule.at_least else Outcome.FAIL if highest < rule.at_least else Outcome.ERROR
    return finding.model_copy(update={"judged": certain, "bound": lowest if rule.confidence else None})


def bound(share: float, number: int, confidence: float | None) -> float:
    """The share that holds beyond what was seen: Wilson's one-sided lower bound for so many conversations.

    Tuples share conversations and are not independent, so the number is that of conversations, never that of tuples:
    measured, that bound is kept more often than promised, and one over tuples far less often.
    """
    if confidence is None or not number:
        return share
    return wilson(share, number, confidence)[0]
