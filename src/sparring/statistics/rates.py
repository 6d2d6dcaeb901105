"""Rates and means of one batch: cases with repeats nested in them.

The interval has the exact binomial bounds at an effective number of trials, as Korn & Graubard (1998) do for clustered
shares. Their variance covers too little with few cases that do not vary, so one more case that always passes and one
that always fails are added, in the variance only.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb, inf
from statistics import NormalDist

import numpy as np

from sparring.statistics.beta import binomial_bounds, t_quantile
from sparring.statistics.estimates import Claim, Interval, Rows, check_confidence, check_scale, filled, known, unknown

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
    check_scale(values, low, high)
    alpha, span = (1 - confidence) / sided, high - low
    rows, open_ones = known(values), unknown(values)
    estimate = effective(_scaled(rows, low, span), claim) if rows else None
    fills = (low, high) if open_ones else ()
    estimates = [estimate] if estimate else []
    estimates += [effective(_scaled(filled(values, each), low, span), claim) for each in fills]
    bounds = [binomial_bounds(*each, alpha) for each in estimates]
    return Interval(
        value=None if estimate is None else low + span * estimate[0],
        low=low + span * min((least for least, _ in bounds), default=0.0),
        high=low + span * max((most for _, most in bounds), default=1.0),
        confidence=confidence,
        claim=claim,
        cases=sum(bool(row) for row in values),
        conversations=sum(map(len, values)),
        effective=0.0 if estimate is None else estimate[1],
        unknown=open_ones,
    )


def _scaled(rows: Sequence[Sequence[float]], low: float, span: float) -> list[list[float]]:
    return [[(value - low) / span for value in row] for row in rows]


def effective(rows: Sequence[Sequence[float]], claim: Claim) -> tuple[float, float]:
    """Return the mean of case means, and the number of independent trials that it is worth.

    Values lie from 0 to 1; `rows` are not empty and have no unknown values.
    """
    repeats = np.array([len(row) for row in rows], float)
    means = np.array([sum(row) / len(row) for row in rows])
    cases, estimate = len(rows), float(means.mean())
    pooled = float(cases * cases / (1 / repeats).sum())  # conversations, if all were independent
    if claim == "these":
        if estimate in (0, 1) or repeats.max() == 1:
            return estimate, pooled
        # One made-up case that could not be more uncertain is added to the variance within cases.
        within = float(sum(map(_variance_of_mean, rows)) + (1 / repeats).mean()) / cases**2
        return estimate, max(estimate * (1 - estimate) / within, pooled)
    binary = all(value in (0, 1) for row in rows for value in row)
    if estimate in (0, 1) or (repeats.max() == 1 and binary):
        return estimate, float(cases)
    centre = (float(means.sum()) + 1) / (cases + 2)
    between = (float(((means - centre) ** 2).sum()) + centre**2 + (1 - centre) ** 2) / ((cases + 1) * cases)
    worth = centre * (1 - centre) / between / small_sample_factor(cases) ** 2
    return estimate, min(max(worth, cases), max(pooled, cases) if binary else inf)


def _variance_of_mean(row: Sequence[float]) -> float:
    """Return the variance of a case's mean over its repeats; the largest possible one for a single repeat."""
    return float(np.var(row, ddof=1)) / len(row) if len(row) > 1 else 0.25


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
    shares = [comb(int(sum(row)), k) / comb(len(row), k) for row in rows]
    if claim == "like these":
        value, worth = effective([[share] for share in shares], claim)
    else:  # disjoint blocks of k repeats (Hoeffding 1963)
        value = sum(shares) / len(shares)
        worth = len(rows) ** 2 / sum(1 / (len(row) // k) for row in rows)
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
    rows = [np.asarray(row) for row in known(outcomes)]
    number, cases = sum(map(len, rows)), len(rows)
    if number == cases or cases < 2:
        return None
    grand = float(np.concatenate(rows).mean())
    between = sum(len(row) * (float(row.mean()) - grand) ** 2 for row in rows) / (cases - 1)
    within = sum(float(((row - row.mean()) ** 2).sum()) for row in rows) / (number - cases)
    size = (number - sum(len(row) ** 2 for row in rows) / number) / (cases - 1)
    total = between + (size - 1) * within
    return min(max((between - within) / total, 0.0), 1.0) if total > 0 else None
