"""Two batches, paired by case: the change with its interval, and exact permutation tests."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import comb, lcm

import numpy as np

from sparring.statistics.beta import binomial_bounds
from sparring.statistics.estimates import (
    Claim,
    Difference,
    Rows,
    check_confidence,
    check_scale,
    filled,
    unknown,
)
from sparring.statistics.rates import small_sample_factor

_ROUNDING = 1e-9
_FINEST = 5040
"""Steps of the lattice on which changes of cases are put, unless the numbers of repeats need fewer."""

_FEW, _COARSER = 200, 420
"""Cases above which the lattice is coarser: the time grows with its steps, and roundings average out."""

Pair = tuple[Sequence[float], Sequence[float]]


def difference(
    before: Rows,
    after: Rows,
    *,
    low: float = 0.0,
    high: float = 1.0,
    confidence: float = 0.95,
    claim: Claim = "these",
) -> Difference:
    """Return the mean change of cases, which are the same and in the same order on both sides.

    Only cases with a known value on both sides are compared. For `these` cases the test lets the repeats of each case
    change sides: Cochran, Mantel & Haenszel's exact test, which is McNemar's for one repeat. For cases `like these`
    each case's change takes either sign (Fisher 1935, Pitman 1937). Scores must be whole numbers. Raise ValueError for
    unequal numbers of cases and for values outside of the scale. Where repeats are so unequal that the test points the
    other way than the change, p is 1.
    """
    check_confidence(confidence)
    check_scale([*before, *after], low, high)
    if len(before) != len(after):
        raise ValueError(f"{len(before)} cases before cannot be paired with {len(after)} after")
    sides = [
        ([v for v in b if v is not None], [v for v in a if v is not None]) for b, a in zip(before, after, strict=True)
    ]
    pairs: list[Pair] = [(b, a) for b, a in sides if b and a]
    span, open_ones = high - low, unknown(before) + unknown(after)
    estimate = _change(pairs, span, 1 - confidence, claim) if pairs else (None, -1.0, 1.0, 0.0)
    value, least, most, worth = estimate
    if open_ones:
        worst, best = (_filled(before, after, b, a) for b, a in ((high, low), (low, high)))
        least = min(least, _change(worst, span, 1 - confidence, claim)[1] if worst else -1.0)
        most = max(most, _change(best, span, 1 - confidence, claim)[2] if best else 1.0)
    test = _sides_exchanged if claim == "these" else _signs_flipped
    p, attainable = test(pairs, low, value or 0) if pairs else (1.0, 1.0)
    return Difference(
        value=None if value is None else span * value,
        low=span * least,
        high=span * most,
        confidence=confidence,
        claim=claim,
        cases=len(pairs),
        conversations=sum(len(b) + len(a) for b, a in pairs),
        effective=worth,
        unknown=open_ones,
        p=p,
        attainable_p=attainable,
    )


def mean_score_difference(
    before: Rows, after: Rows, *, low: float, high: float, confidence: float = 0.95, claim: Claim = "these"
) -> Difference:
    """Return the mean change of whole scores on a scale from `low` to `high`; see `difference`."""
    return difference(before, after, low=low, high=high, confidence=confidence, claim=claim)


def _filled(before: Rows, after: Rows, before_by: float, after_by: float) -> list[Pair]:
    """Return the pairs with values in place of what is unknown."""
    sides = zip(before, after, strict=True)
    return [(filled([b], before_by)[0], filled([a], after_by)[0]) for b, a in sides if b and a]


def _change(pairs: Sequence[Pair], span: float, alpha: float, claim: Claim) -> tuple[float, float, float, float]:
    """Return the mean change from -1 to 1, its bounds, and the number of trials that it is worth."""
    sides = [(np.asarray(b, float) / span, np.asarray(a, float) / span) for b, a in pairs]
    cases, change = len(sides), np.array([float(a.mean() - b.mean()) for b, a in sides])
    rows = list(chain.from_iterable(sides))
    if claim == "these" and all(len(row) > 1 for row in rows):
        # A made-up case for each side that could not be more uncertain is added to the variance within cases.
        within = sum(float(row.var(ddof=1)) / len(row) for row in rows)
        variance = (within + sum(1 / len(row) for row in rows) / cases) / cases**2
        factor = 1.0
    else:  # two made-up cases, one that gets entirely better and one that gets entirely worse
        centre = float(change.sum()) / (cases + 2)
        variance = (float(((change - centre) ** 2).sum()) + 2 * (1 + centre**2)) / ((cases + 1) * cases)
        factor = small_sample_factor(cases)
    share = (float(change.mean()) + 1) / 2  # lies in 0..1, as a rate does
    worth = max(share * (1 - share) / (variance / 4) / factor**2, float(cases))
    least, most = binomial_bounds(share, worth, alpha / 2)
    return float(change.mean()), 2 * least - 1, 2 * most - 1, worth


def _sides_exchanged(pairs: Sequence[Pair], low: float, change: float) -> tuple[float, float]:
    """Return the two-sided p-value if repeats of a case exchange sides, and the smallest possible one."""
    chances, seen, expected = np.ones(1), 0, 0.0
    for before, after in pairs:
        scores = [round(value - low) for value in (*before, *after)]
        if any(abs(score - (value - low)) > 1e-9 for score, value in zip(scores, (*before, *after), strict=True)):
            raise ValueError("an exact test needs whole numbers: multiply scores with decimals by 10 or 100")
        if len(set(scores)) == 1:
            continue
        chances = np.convolve(chances, _sums(scores, len(after)))
        seen += sum(scores[len(before) :])
        expected += sum(scores) * len(after) / len(scores)
    possible = chances[chances > 0]
    attainable = min(1.0, 2 * float(min(possible[0], possible[-1])))
    if change * (seen - expected) < -_ROUNDING:
        return 1.0, attainable
    return min(1.0, 2 * min(float(chances[: seen + 1].sum()), float(chances[seen:].sum()))), attainable


def _sums(scores: Sequence[int], chosen: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the chance of each sum of `chosen` scores that are drawn without replacement."""
    if set(scores) <= {0, 1}:
        ones, number = sum(scores), len(scores)
        possible = range(min(ones, chosen) + 1)
        counts = [comb(ones, hits) * comb(number - ones, chosen - hits) for hits in possible]
        return np.array([count / comb(number, chosen) for count in counts])
    ways = np.zeros((chosen + 1, sum(scores) + 1))
    ways[0, 0] = 1
    for score in scores:
        taken = ways.copy()
        taken[1:, score:] += ways[:-1, : ways.shape[1] - score]
        ways = taken
    return np.asarray(ways[chosen] / comb(len(scores), chosen))


def _signs_flipped(pairs: Sequence[Pair], low: float, change: float) -> tuple[float, float]:
    """Return the two-sided p-value if changes take either sign, and the smallest possible one.

    The distribution of the sum comes from its characteristic function.
    """
    unit = min(lcm(*{len(side) for pair in pairs for side in pair}), _FINEST if len(pairs) <= _FEW else _COARSER)
    changes = [round(unit * (sum(a) / len(a) - sum(b) / len(b))) for b, a in pairs]
    steps, seen = [abs(each) for each in changes if each], abs(sum(changes))
    attainable = min(1.0, 2.0 ** (1 - len(steps)))
    if not steps or not seen:
        return 1.0, attainable
    size = 1 << (2 * sum(steps) + 1).bit_length()
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    wave = np.ones(size // 2 + 1)
    for each, times in Counter(steps).items():
        wave = wave * np.cos(angle * each) ** times
    chances = np.maximum(np.fft.irfft(wave, size), 0)
    return min(1.0, 2 * float(chances[seen : size // 2].sum())), attainable
