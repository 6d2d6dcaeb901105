"""Agreement of two scorers beyond chance, with repeats nested in cases."""

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

import numpy as np

from sparring.statistics.beta import t_quantile
from sparring.statistics.estimates import Interval, check_confidence

Floats = np.ndarray[Any, np.dtype[np.float64]]

_MADE_UP = 4.0
"""Added to the variance, by the square of the cases: the square of the width of the scale of kappa.

Simulated with 10 to 100 cases: without it, the lowest coverage of 95 % is 15 %; with it, 93 %.
"""

Pairs = Sequence[Sequence[tuple[float, float]]]
"""Scores of two scorers: a row for each case, with a pair for each conversation that both scored."""


def weighted_kappa(pairs: Pairs, *, confidence: float = 0.95) -> Interval | None:
    """Return the linearly weighted kappa (Cohen 1968), for cases like these; None if nothing varies.

    1 is perfect agreement, 0 is chance. The interval is a jackknife over cases, with a variance that
    is larger the fewer they are, as few cases that agree would look certain.
    """
    check_confidence(confidence)
    rows = [row for row in pairs if row]
    cases, numbers = len(rows), np.array([len(row) for row in rows], float)
    counts, distances = _counts(rows)
    apart = np.array([sum(abs(one - other) for one, other in row) for row in rows])
    total, (ones, others) = float(numbers.sum()), counts.sum(axis=1)
    by_chance = float(ones @ distances @ others) / total**2 if rows else 0.0
    if not by_chance:
        return None
    kappa = 1 - float(apart.sum()) / total / by_chance
    half = inf
    if cases > 1:
        left = total - numbers
        chance = np.einsum("ci,ij,cj->c", ones - counts[0], distances, others - counts[1]) / left**2
        without = np.where(chance > 0, 1 - (apart.sum() - apart) / left / np.where(chance > 0, chance, 1), kappa)
        spread = (cases - 1) / cases * float(((without - without.mean()) ** 2).sum())
        half = t_quantile((1 + confidence) / 2, cases - 1) * sqrt(spread + _MADE_UP / cases**2)
    return Interval(
        value=kappa,
        low=max(kappa - half, -1.0),
        high=min(kappa + half, 1.0),
        confidence=confidence,
        claim="like these",
        cases=cases,
        conversations=int(total),
        effective=float(cases),
    )


def _counts(rows: Pairs) -> tuple[Floats, Floats]:
    """Return how often both scorers gave each score in each case, and the distances of all scores."""
    levels = sorted({score for row in rows for pair in row for score in pair})
    place, values = {score: number for number, score in enumerate(levels)}, np.array(levels, float)
    counts = np.zeros((2, len(rows), len(levels)))
    for case, row in enumerate(rows):
        for pair in row:
            for scorer, score in enumerate(pair):
                counts[scorer, case, place[score]] += 1
    return counts, np.abs(np.subtract.outer(values, values))


def krippendorff_alpha(rows: Sequence[Sequence[float]]) -> float | None:
    """Return Krippendorff's alpha for ordinal scores (2011); a row has all scores of one thing.

    1 is perfect agreement, 0 is chance. None if nothing varies, or nothing was scored twice.
    """
    rows = [row for row in rows if len(row) > 1]
    levels = sorted({score for row in rows for score in row})
    place = {score: number for number, score in enumerate(levels)}
    pairs = np.zeros((len(levels), len(levels)))
    for row in rows:
        counts = np.bincount([place[score] for score in row], minlength=len(levels)).astype(float)
        pairs += (np.outer(counts, counts) - np.diag(counts)) / (len(row) - 1)
    totals = pairs.sum(axis=1)
    middle = totals.cumsum() - totals / 2
    distances = np.subtract.outer(middle, middle) ** 2
    expected = float(totals @ distances @ totals)
    return 1 - float((pairs * distances).sum()) * (float(totals.sum()) - 1) / expected if expected else None
