"""Rules that ask for one conversation for each, or for one that goes with all."""

import numpy as np

from sparring.checking.tally import Tally
from sparring.core.checks import Rule
from sparring.core.verdict import Finding, Outcome

ONE_FOR_EACH = ("forall exists", "exists forall")


def quantified(rule: Rule, finding: Finding, tally: Tally) -> Finding:
    """The finding with its outcome, read off what each conversation has at the first position.

    `forall exists`: each that the rule applies to has a tuple that satisfies it. `exists forall`: some has only such.
    """
    applicable, satisfied = tally.at("applicable", 0) > 0, tally.at("satisfied", 0) > 0
    undecided = tally.undecided_at(0) > 0
    if rule.quantifier == "forall exists":
        lacking = applicable & ~satisfied
        failed, open_ = lacking & ~undecided, lacking & undecided
        outcome = Outcome.FAIL if failed.any() else Outcome.ERROR if open_.any() else Outcome.PASS
    else:
        clean = applicable & (tally.violated_at(0) == 0)
        outcome = Outcome.PASS if (clean & ~undecided).any() else Outcome.ERROR if clean.any() else Outcome.FAIL
    if not applicable.any():
        outcome = Outcome.ERROR if np.any(undecided) else Outcome.NOT_APPLICABLE
    return finding.model_copy(update={"judged": outcome})
