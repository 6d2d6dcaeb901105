"""Rates of rules over several conversations, whose tuples share conversations.

The unit is the case: the jackknife over cases (Arvesen 1969; Efron & Stein 1981) measures how much depends on each.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from sparring.statistics.beta import binomial_bounds, t_test
from sparring.statistics.estimates import Interval, check_confidence
from sparring.statistics.rates import small_sample_factor


class Tuples(NamedTuple):
    """Tuples that violate a rule, those that it applies to, and both numbers for each case.

    The numbers `by_case` count the tuples with a conversation of that case; a tuple inside one case counts once. If all
    numbers are extrapolated from a sample, `drawn` is the number of applicable tuples in it.
    """

    violated: int
    applicable: int
    by_case: Sequence[tuple[int, int]]
    drawn: int = 0

    @property
    def sampling(self) -> float:
        """Variance of the share of violating tuples that comes from sampling them."""
        share = self.violated / self.applicable if self.applicable else 0.0
        return share * (1 - share) / self.drawn if self.drawn else 0.0


def tuple_rate(found: Tuples, *, confidence: float = 0.95) -> Interval:
    """Return the share of tuples that violate a rule, for cases like these."""
    check_confidence(confidence)
    cases, share = len(found.by_case), found.violated / found.applicable if found.applicable else 0.0
    if not found.applicable or not cases:
        about = {"confidence": confidence, "claim": "like these", "cases": cases, "conversations": 0, "effective": 0.0}
        return Interval(value=None, low=0.0, high=1.0, **about)  # type: ignore[arg-type]
    left = _left_out(found, share)
    spread = (cases - 1) / cases * float(((left - left.mean()) ** 2).sum())
    variance = (
        spread + found.sampling + 0.5 / cases**2
    )  # the jackknife is 0 where nothing varies, which few cases cannot show
    factor = small_sample_factor(cases)
    worth = cases / 2
    if 0 < share < 1:
        worth = min(max(share * (1 - share) / variance / factor**2, cases / 2), float(found.drawn or found.applicable))
    low, high = binomial_bounds(share, worth, (1 - confidence) / 2)
    return Interval(
        value=share,
        low=low,
        high=high,
        confidence=confidence,
        claim="like these",
        cases=cases,
        conversations=found.applicable,
        effective=worth,
    )


def tuple_difference(before: Tuples, after: Tuples) -> tuple[float, float]:
    """Return the change of the share of violating tuples, and its p-value.

    Both sides have the same cases in the same order. Raise ValueError if they have not, or if
    a rule applies to nothing.
    """
    if len(before.by_case) != len(after.by_case):
        raise ValueError(f"{len(before.by_case)} cases before cannot be paired with {len(after.by_case)} after")
    if not before.applicable or not after.applicable:
        raise ValueError("the rule applies to no tuple of one side")
    cases = len(before.by_case)
    shares = [side.violated / side.applicable for side in (before, after)]
    change = shares[1] - shares[0]
    if cases < 2:
        return change, 1.0
    each = _left_out(after, shares[1]) - _left_out(before, shares[0])
    variance = (cases - 1) / cases * float(((each - each.mean()) ** 2).sum()) + 0.25 / cases**2
    variance += before.sampling + after.sampling
    return change, t_test(change / sqrt(variance), cases - 1)


def _left_out(found: Tuples, share: float) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the share without each case in turn."""
    return np.array(
        [
            (found.violated - violated) / (found.applicable - applicable) if found.applicable > applicable else share
            for violated, applicable in found.by_case
        ]
    )
