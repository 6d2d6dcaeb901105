"""Several tests at once."""

from collections.abc import Sequence
from math import exp, hypot, lgamma, sqrt
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


def holm(p: Sequence[float], *, alpha: float = 0.05, attainable: Sequence[float] | None = None) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), in the same order.

    `attainable` holds the smallest p-value that each test could have given. Tests that could never be significant do
    not count (Tarone 1990); their own p-values are multiplied by the number of tests that could give less than 1, which
    is never significant.
    """
    least = [0.0] * len(p) if attainable is None else list(attainable)
    size = next((k for k in range(1, len(p) + 1) if sum(each <= alpha / k for each in least) <= k), max(len(p), 1))
    family = sorted((p[i], i) for i in range(len(p)) if least[i] <= alpha / size)
    informative = sum(each < 1 for each in least)
    adjusted, largest = [min(1.0, each * informative) if informative else 1.0 for each in p], 0.0
    for rank, (each, i) in enumerate(family):
        largest = max(largest, min(1.0, each * (len(family) - rank)))
        adjusted[i] = largest
    return adjusted


def fisher(first: int, of_first: int, second: int, of_second: int, *, one_sided: bool = False) -> float:
    """Return the p-value of Fisher's exact test of two counts, each of a number of cases.

    One-sided, it is about the first share being larger.
    """
    both, size = first + second, of_first + of_second
    counts = range(max(0, both - of_second), min(both, of_first) + 1)
    whole = _log_comb(size, both)
    chance = {n: exp(_log_comb(of_first, n) + _log_comb(of_second, both - n) - whole) for n in counts}
    least = chance[first] * (1 + 1e-7)
    return min(1.0, sum(each for n, each in chance.items() if (n >= first if one_sided else each <= least)))


def newcombe(first: int, of_first: int, second: int, of_second: int) -> tuple[float, float, float]:
    """Return how much larger the second share is, with Newcombe's (1998) 95 % interval, his method 10."""
    if not of_first or not of_second:
        return 0.0, -1.0, 1.0
    (was, least, most), (now, low, high) = _wilson(first, of_first), _wilson(second, of_second)
    change = now - was
    return change, change - hypot(now - low, most - was), change + hypot(high - now, was - least)


def _wilson(count: int, of: int) -> tuple[float, float, float]:
    """Return a share with Wilson's 95 % interval."""
    share, z = count / of, _Z**2 / of
    center, half = (share + z / 2) / (1 + z), sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
    return share, center - half, center + half


def _log_comb(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
