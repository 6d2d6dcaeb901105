"""Numbers of cases and repeats needed for a question."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from math import ceil, exp, lgamma, log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from sparring.statistics.beta import beta_quantile
from sparring.statistics.estimates import Claim, Rows, check_confidence, known
from sparring.statistics.rates import FlatRows, Floats, all_pass, effective, flat

_Z = NormalDist().inv_cdf
_ROUNDS = 50
_POINTS = 9
"""Quantiles of what cases have in common, over which a prediction is averaged."""

_MOST = 64
"""Multiple of the existing conversations above which a threshold is too close to decide."""


def detectable(
    cases: int,
    repeats: int,
    *,
    rate: float = 0.8,
    icc: float = 0.3,
    varies: float = 0.0,
    power: float = 0.8,
    confidence: float = 0.95,
    claim: Claim = "these",
) -> float:
    """Return the smallest fall of a rate that a comparison detects with this power, from 0 to 1.

    `varies` is the standard deviation of the change between cases; it counts for cases `like these`. An approximation:
    if all cases fall in proportion, 0.71 to 0.93 of comparisons detect it for a power of 0.8.
    """
    check_confidence(confidence)
    if cases < 1 or repeats < 1:
        raise ValueError(f"{cases} cases with {repeats} repeats tell nothing: at least 1 of both")
    z, fall = _Z(1 - (1 - confidence) / 2) + _Z(power), 0.0
    for _ in range(_ROUNDS):
        less = max(rate - fall, 0.0)
        # A fall makes cases that agreed with themselves vary; the square is fitted to simulations.
        within = (rate * (1 - rate) + less * (1 - less)) * (1 - icc) + (icc**2 * fall * less / rate if rate else 0)
        variance = within / repeats
        variance += varies**2 if claim == "like these" else 0
        fall = min(z * sqrt(variance / cases) + 1 / (cases * repeats), 1.0)
    return fall


def fewest(enough: Callable[[int], bool]) -> int:
    """Return the smallest number from 1 on that is enough, as all larger ones are."""
    high = 1
    while not enough(high):
        high *= 2
    return bisect_left(range(high + 1), True, lo=1, key=enough)


def needed(
    outcomes: Rows,
    threshold: float,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
    claim: Claim = "like these",
    k: int = 1,
) -> int | None:
    """Return how many more conversations separate the rate, or pass^k, from a threshold.

    They are of new cases for `like these`, else repeats of the same. None if it takes over 64 times the existing ones,
    or if there are none.
    """
    check_confidence(confidence)
    rows = [row for row in known(outcomes) if len(row) >= k]
    total, last = sum(map(len, rows)), 0.0
    share = all_pass(rows, k, claim)[0] if rows else 0.0
    for times in range(1, _MOST + 1) if rows else ():
        worth = all_pass(rows * times if claim == "like these" else [row * times for row in rows], k, claim)[1]
        enough = _enough(share, threshold, confidence, power)
        if worth >= enough:
            return 0 if times == 1 else ceil(total * (times - 2 + (enough - last) / (worth - last)))
        last = worth
    return None


def _enough(share: float, threshold: float, confidence: float, power: float) -> float:
    """Return the number of independent trials that tell a share from a threshold."""
    if share in (0, 1) and 0 < threshold < 1:  # the exact bound, if none or all of what is added passes, too
        return log(1 - confidence) / log(threshold if share else 1 - threshold)
    at_threshold, at_share = (sqrt(max(each * (1 - each), 1e-9)) for each in (threshold, share))
    return (_Z(confidence) * at_threshold + _Z(power) * at_share) ** 2 / max((share - threshold) ** 2, 1e-12)


def reversal(outcomes: Rows, threshold: float, *, at_most: bool = False) -> float:
    """Return the chance that a repeat of the batch lies on the other side of a threshold, for these cases.

    Outcomes of repeated cases follow a beta-binomial distribution each, fitted to all of them: cases that agree with
    themselves are likely to do so again. Without repeats, and for scores, it is the binomial predictive distribution
    under Jeffreys' prior. The plain binomial tail at the rate found says 0 of a batch that passed whole.
    """
    rows = known(outcomes)
    if at_most:
        rows, threshold = [[1 - value for value in row] for row in rows], 1 - threshold
    found = flat(rows)
    share, chances = float(found.values.mean()), _chances(rows, found)
    below = float(chances[: ceil(threshold * (len(chances) - 1) - 1e-9)].sum())
    return min(max(below if share >= threshold - 1e-12 else 1 - below, 0.0), 1.0)


def _chances(rows: Rows, found: FlatRows) -> Floats:
    """Return the chance of each number of passed conversations in a repeat of a batch."""
    number, cases = len(found.values), len(found.repeats)
    if number == cases or not ((found.values == 0) | (found.values == 1)).all():
        share, worth = effective(found, "these")
        trials = max(round(worth), 1)
        return _beta_binomial(trials, share * trials + 0.5, (1 - share) * trials + 0.5)
    middle = (float(found.values.sum()) + 0.5) / (number + 1)
    spread = float(found.squares(found.sums(found.values) / found.repeats).sum())
    within = min((spread + 0.25) / (number - cases + 1), 0.999 * middle * (1 - middle))
    prior = within / (middle * (1 - middle) - within)  # conversations that what cases have in common is worth
    worth = number / (1 + (number / cases - 1) / (1 + prior))
    kinds, size = Counter((sum(map(int, row)), len(row)) for row in rows), 1 << number.bit_length()  # type: ignore[arg-type]
    mixed = np.zeros(number + 1)
    for point in range(_POINTS):
        share = beta_quantile((point + 0.5) / _POINTS, middle * worth, (1 - middle) * worth)
        share = min(max(share, 1e-9), 1 - 1e-9)
        wave: Any = 1
        for (hits, repeats), times in kinds.items():
            of_case = _beta_binomial(repeats, hits + prior * share, repeats - hits + prior * (1 - share))
            wave = wave * np.fft.rfft(of_case, size) ** times
        mixed += np.fft.irfft(wave, size)[: number + 1] / _POINTS
    return mixed


def _beta_binomial(trials: int, hits: float, misses: float) -> Floats:
    """Return the probability of each number of hits in new trials, after these hits and misses."""
    whole = _log_beta(hits, misses) + log(trials + 1)
    return np.array(
        [
            exp(_log_beta(hits + n, misses + trials - n) - _log_beta(n + 1, trials - n + 1) - whole)
            for n in range(trials + 1)
        ]
    )


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
