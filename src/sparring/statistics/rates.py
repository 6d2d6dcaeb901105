"""Rates and means of one batch: cases with repeats nested in them, and tuples that share cases.

The interval has the exact binomial bounds at an effective number of trials, as Korn & Graubard (1998) do for clustered
shares. Their variance covers too little with few cases that do not vary, so one more case that always passes and one
that always fails are added, in the variance only.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from math import comb, inf, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from sparring.statistics.beta import binomial_bounds, t_quantile, t_test
from sparring.statistics.estimates import Claim, Interval, Rows, check_confidence, check_scale, known, unknown

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
Places = np.ndarray[tuple[int], np.dtype[np.int64]]

_Z = NormalDist().inv_cdf(0.975)


def rate(outcomes: Rows, *, confidence: float = 0.95, claim: Claim = "like these", sided: int = 2) -> Interval:
    """Return the share of passed conversations; with `sided=1`, each bound alone has the confidence."""
    return mean(outcomes, confidence=confidence, claim=claim, sided=sided)


def mean(
    values: Rows,
    *,
    low: float = 0.0,
    high: float = 1.0,
    confidence: float = 0.95,
    claim: Claim = "like these",
    sided: int = 2,
) -> Interval:
    """Return the mean over cases of values on a scale from `low` to `high`, such as scores.

    Raise ValueError for values outside of the scale.
    """
    check_confidence(confidence)
    planned, alpha, span = flat(values), (1 - confidence) / sided, high - low
    if not low < high or bool(((planned.values < low) | (planned.values > high)).any()):
        check_scale(values, low, high)
    planned = planned._replace(values=(planned.values - low) / span)
    decided = planned.known()
    unknown = len(planned.values) - len(decided.values)
    estimate = effective(decided, claim) if len(decided.values) else None
    estimates = [estimate] if estimate else []
    if unknown:
        estimates += [effective(planned.filled(extreme), claim) for extreme in (0.0, 1.0)]
    bounds = [binomial_bounds(*each, alpha) for each in estimates]
    return Interval(
        value=None if estimate is None else low + span * estimate[0],
        low=low + span * min((least for least, _ in bounds), default=0.0),
        high=low + span * max((most for _, most in bounds), default=1.0),
        confidence=confidence,
        claim=claim,
        cases=len(planned.repeats),
        conversations=len(planned.values),
        effective=0.0 if estimate is None else estimate[1],
        unknown=unknown,
    )


class FlatRows(NamedTuple):
    """Values of all cases one after the other, and the number of repeats of each; NaN is unknown."""

    values: Floats
    repeats: Places

    def known(self) -> "FlatRows":
        """Return the known values, and the cases that have one."""
        found = ~np.isnan(self.values)
        if found.all():
            return self
        repeats = self.sums(found.astype(float)).astype(np.int64)
        return FlatRows(self.values[found], repeats[repeats > 0])

    def filled(self, value: float) -> "FlatRows":
        """Return the cases with `value` for what is unknown."""
        return FlatRows(np.where(np.isnan(self.values), value, self.values), self.repeats)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of values by case."""
        found: Floats = np.add.reduceat(values, self.repeats.cumsum() - self.repeats)
        return found

    def squares(self, means: Floats) -> Floats:
        """Return the sum of squared distances to the mean of the case, by case."""
        return self.sums((self.values - np.repeat(means, self.repeats)) ** 2)


def flat(rows: Rows) -> FlatRows:
    """Return the rows that are not empty."""
    repeats = np.fromiter(map(len, rows), np.int64, len(rows))
    return FlatRows(np.array(list(chain.from_iterable(rows)), float), repeats[repeats > 0])


def effective(rows: FlatRows, claim: Claim) -> tuple[float, float]:
    """Return the mean of case means, and the number of independent trials that it is worth.

    Values lie from 0 to 1; all of them are known, and there is at least one.
    """
    means = rows.sums(rows.values) / rows.repeats
    cases, estimate, most = len(means), float(means.mean()), int(rows.repeats.max())
    pooled = float(cases * cases / (1 / rows.repeats).sum())  # conversations, if all were independent
    if claim == "these":
        if estimate in (0, 1) or most == 1:
            return estimate, pooled
        # One made-up case that could not be more uncertain is added to the variance within cases.
        spread = rows.squares(means) / np.maximum(rows.repeats - 1, 1) / rows.repeats
        variances = np.where(rows.repeats > 1, spread, 0.25)
        within = float(variances.sum() + (1 / rows.repeats).mean()) / cases**2
        return estimate, max(estimate * (1 - estimate) / within, pooled)
    binary = bool(((rows.values == 0) | (rows.values == 1)).all())
    if estimate in (0, 1) or (most == 1 and binary):
        return estimate, float(cases)
    centre = (float(means.sum()) + 1) / (cases + 2)
    between = (float(((means - centre) ** 2).sum()) + centre**2 + (1 - centre) ** 2) / ((cases + 1) * cases)
    found = centre * (1 - centre) / between / small_sample_factor(cases) ** 2
    return estimate, min(max(found, cases), max(pooled, cases) if binary else inf)


@lru_cache(maxsize=1024)
def small_sample_factor(cases: int) -> float:
    """Return how much wider few cases make an interval, as its variance is estimated; infinite for one."""
    return t_quantile(0.975, cases - 1) / _Z if cases > 1 else inf


def pass_hat_k(
    outcomes: Rows, k: int, *, confidence: float = 0.95, claim: Claim = "like these", sided: int = 2
) -> Interval:
    """Return pass^k: the mean chance that `k` repeats of a case all pass (Yao et al. 2024).

    Only cases with at least `k` decided repeats count. Raise ValueError if there are none.
    """
    check_confidence(confidence)
    check_scale(outcomes, 0, 1)
    rows = [row for row in known(outcomes) if len(row) >= k]
    if k < 1 or not rows:
        raise ValueError(f"pass^{k} needs at least {max(k, 1)} decided repeats of a case")
    value, worth = all_pass(rows, k, claim)
    low, high = binomial_bounds(value, worth, (1 - confidence) / sided)
    return Interval(
        value=value,
        low=low,
        high=high,
        confidence=confidence,
        claim=claim,
        cases=len(rows),
        conversations=sum(map(len, rows)),
        effective=worth,
        unknown=unknown(outcomes),
    )


def all_pass(rows: Sequence[Sequence[float]], k: int, claim: Claim) -> tuple[float, float]:
    """Return the mean chance that `k` repeats of a case all pass, and its effective number of trials.

    All cases have at least `k` known values.
    """
    if k == 1:
        return effective(flat(rows), claim)
    shares = [comb(int(sum(row)), k) / comb(len(row), k) for row in rows]
    if claim == "like these":
        return effective(flat([[share] for share in shares]), claim)
    blocks = sum(1 / (len(row) // k) for row in rows)  # disjoint blocks of k repeats (Hoeffding 1963)
    return sum(shares) / len(shares), len(rows) ** 2 / blocks


def flakiness(outcomes: Rows) -> list[float | None]:
    """Return, for each case, the chance that two of its repeats differ; None with fewer than two."""
    rows = [[bool(value) for value in row if value is not None] for row in outcomes]
    return [
        2 * sum(row) * (len(row) - sum(row)) / (len(row) * (len(row) - 1)) if len(row) > 1 else None for row in rows
    ]


def icc(outcomes: Rows) -> float | None:
    """Return the intraclass correlation, from 0 to 1: the share of the variance that lies between cases.

    It is estimated by analysis of variance. None if no case repeats, there is one case, or nothing varies.
    """
    rows = flat(outcomes).known()
    if (cases := len(rows.repeats)) < 2 or (number := len(rows.values)) == cases:
        return None
    means = rows.sums(rows.values) / rows.repeats
    between = float((rows.repeats * (means - rows.values.mean()) ** 2).sum()) / (cases - 1)
    within = float(rows.squares(means).sum()) / (number - cases)
    size = (number - float((rows.repeats**2).sum()) / number) / (cases - 1)
    total = between + (size - 1) * within
    return min(max((between - within) / total, 0.0), 1.0) if total > 0 else None


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
