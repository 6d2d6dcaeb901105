"""How many cases and repeats it takes."""

from bisect import bisect_left
from collections.abc import Callable
from math import ceil, exp, lgamma, sqrt
from statistics import NormalDist

from sparring.statistics.estimates import Claim, Rows, check_confidence, known
from sparring.statistics.rates import all_pass, effective, flat

_Z = NormalDist().inv_cdf
_ROUNDS = 50
_MOST = 64
"""Times as many conversations as there are, above which a threshold is too close to tell."""


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
    """Return the smallest fall of a rate that a comparison tells with this power, from 0 to 1.

    `varies` is the standard deviation of the change between cases; it counts for cases `like these`. An approximation:
    if all cases fall in proportion, it is told in 0.71 to 0.93 of comparisons for a power of 0.8.
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
    """Return how many more conversations tell the rate, or pass^k, from a threshold with this power.

    They are of new cases for `like these`, else repeats of the same. None if it takes over 64 times as many as there
    are, or if there are none.
    """
    check_confidence(confidence)
    rows = [row for row in known(outcomes) if len(row) >= k]
    total, z, last = sum(map(len, rows)), _Z(confidence) + _Z(power), 0.0
    share = all_pass(rows, k, claim)[0] if rows else 0.0
    for times in range(1, _MOST + 1) if rows else ():
        worth = all_pass(rows * times if claim == "like these" else [row * times for row in rows], k, claim)[1]
        enough = z * z * max(threshold * (1 - threshold), 1e-9) / max((share - threshold) ** 2, 1e-12)
        if worth >= enough:
            return 0 if times == 1 else ceil(total * (times - 2 + (enough - last) / (worth - last)))
        last = worth
    return None


def reversal(outcomes: Rows, threshold: float, *, at_most: bool = False) -> float:
    """Return the chance that a repeat of the batch lies on the other side of a threshold, for these cases.

    The binomial predictive distribution under Jeffreys' prior, with the effective number of trials. The plain binomial
    tail at the rate found says 0 of a batch that passed whole, where one of three repeats does not.
    """
    rows = known(outcomes)
    if at_most:
        rows, threshold = [[1 - value for value in row] for row in rows], 1 - threshold
    share, worth = effective(flat(rows), "these")
    trials = max(round(worth), 1)
    hits, misses = share * trials + 0.5, (1 - share) * trials + 0.5
    least = ceil(threshold * trials - 1e-9)

    def log_beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    below = sum(
        exp(log_beta(hits + n, misses + trials - n) - log_beta(hits, misses) - log_beta(n + 1, trials - n + 1))
        for n in range(min(least, trials + 1))
    ) / (trials + 1)
    return min(below, 1.0) if share >= threshold - 1e-12 else max(1 - below, 0.0)
