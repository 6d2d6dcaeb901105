"""Confidence intervals of shares and the sign test."""

from math import comb, sqrt
from statistics import NormalDist


def wilson(share: float, number: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share among `number`; each bound holds with `confidence`.

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
    """
    z = NormalDist().inv_cdf(confidence)
    centre = share + z * z / (2 * number)
    margin = z * sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    return max((centre - margin) / (1 + z * z / number), 0.0), min((centre + margin) / (1 + z * z / number), 1.0)


def interval(hits: int, number: int) -> tuple[float, float]:
    """Return Wilson's two-sided 95 % interval of a share in a sample."""
    return wilson(hits / number, number, 0.975)


def sign_test(up: int, down: int) -> float:
    """Return the two-sided exact p-value of the sign test; 1.0 if there are no pairs.

    For pairs of which one side passed and the other failed, this is McNemar's exact test.
    """
    number, fewer = up + down, min(up, down)
    as_lopsided = sum(comb(number, k) for k in range(fewer + 1))
    return min(1.0, 2 * (as_lopsided / int(2**number)))
