"""Confidence intervals of shares."""

from math import sqrt
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
