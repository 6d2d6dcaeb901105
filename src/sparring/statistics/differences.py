"""Two batches, paired by case: the change with its interval, and exact permutation tests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain
from math import comb, lcm, prod

import numpy as np

from sparring.statistics.beta import binomial_bounds
from sparring.statistics.estimates import (
    Claim,
    Difference,
    Rows,
    check_confidence,
    check_scale,
    unknown,
)
from sparring.statistics.rates import small_sample_factor

_ROUNDING = 1e-9
_LATTICES = ((200, 5040), (5000, 420))
_COARSEST = 60
"""Steps of the lattice on which changes of cases are put, unless the numbers of repeats need fewer, by cases.

The time grows with the steps, and with many cases roundings average out.
"""

_DIRECT = 1024
"""Length of the shorter distribution above which two are convolved by Fourier transforms, in time n log n."""

Chances = np.ndarray[tuple[int], np.dtype[np.float64]]

Pairs = Counter[tuple[tuple[float, ...], tuple[float, ...]]]
"""Numbers of cases by their values before and after, sorted: of many cases, most have the same values."""


def difference(
    before: Rows,
    after: Rows,
    *,
    low: float = 0.0,
    high: float = 1.0,
    confidence: float = 0.95,
    claim: Claim = "these",
    times: Sequence[int] | None = None,
) -> Difference:
    """Return the mean change of cases, which are the same and in the same order on both sides.

    With `times`, each row stands for so many cases. Only cases with a known value on both sides are compared. For
    `these` cases the test lets the repeats of each case change sides: Cochran, Mantel & Haenszel's exact test, which is
    McNemar's for one repeat. For cases `like these` each case's change takes either sign (Fisher 1935, Pitman 1937).
    Scores must be whole numbers. Raise ValueError for unequal numbers of cases and for values outside of the scale.
    Where repeats are so unequal that the test points the other way than the change, p is 1. With thousands of cases, p
    is exact to about 1e-12.
    """
    check_confidence(confidence)
    check_scale([*before, *after], low, high)
    if len(before) != len(after):
        raise ValueError(f"{len(before)} cases before cannot be paired with {len(after)} after")
    times = times if times is not None else [1] * len(before)
    pairs = _paired(_known(before), _known(after), times)
    span = high - low
    open_ones = sum(n * unknown(pair) for *pair, n in zip(before, after, times, strict=True))
    estimate = _change(pairs, span, 1 - confidence, claim) if pairs else (None, -1.0, 1.0, 0.0)
    value, least, most, worth = estimate
    if open_ones:
        worst, best = (_paired(_filled(before, b), _filled(after, a), times) for b, a in ((high, low), (low, high)))
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
        cases=pairs.total(),
        conversations=sum(times * (len(b) + len(a)) for (b, a), times in pairs.items()),
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


def _known(rows: Rows) -> Iterator[list[float]]:
    return ([value for value in row if value is not None] for row in rows)


def _filled(rows: Rows, by: float) -> Iterator[list[float]]:
    return ([by if value is None else value for value in row] for row in rows)


def _paired(before: Iterable[Sequence[float]], after: Iterable[Sequence[float]], times: Sequence[int]) -> Pairs:
    """Count the cases that have a value on both sides."""
    found: Pairs = Counter()
    for b, a, n in zip(before, after, times, strict=True):
        if b and a:
            found[tuple(sorted(b)), tuple(sorted(a))] += n
    return found


def _change(pairs: Pairs, span: float, alpha: float, claim: Claim) -> tuple[float, float, float, float]:
    """Return the mean change from -1 to 1, its bounds, and the number of trials that it is worth."""
    sides = [(np.asarray(b, float) / span, np.asarray(a, float) / span) for b, a in pairs]
    cases, times = pairs.total(), np.array(list(pairs.values()), float)
    change = np.array([float(a.mean() - b.mean()) for b, a in sides])
    value = float((times * change).sum()) / cases
    if claim == "these" and all(len(row) > 1 for row in chain.from_iterable(sides)):
        # A made-up case for each side that could not be more uncertain is added to the variance within cases.
        within = np.array([b.var(ddof=1) / len(b) + a.var(ddof=1) / len(a) for b, a in sides])
        made_up = np.array([1 / len(b) + 1 / len(a) for b, a in sides])
        variance = float((times * (within + made_up / cases)).sum()) / cases**2
        factor = 1.0
    else:  # two made-up cases, one that gets entirely better and one that gets entirely worse
        centre = value * cases / (cases + 2)
        squares = float((times * (change - centre) ** 2).sum())
        variance = (squares + 2 * (1 + centre**2)) / ((cases + 1) * cases)
        factor = small_sample_factor(cases)
    share = (value + 1) / 2  # lies in 0..1, as a rate does
    worth = max(share * (1 - share) / (variance / 4) / factor**2, float(cases))
    least, most = binomial_bounds(share, worth, alpha / 2)
    return value, 2 * least - 1, 2 * most - 1, worth


def _sides_exchanged(pairs: Pairs, low: float, change: float) -> tuple[float, float]:
    """Return the two-sided p-value if repeats of a case exchange sides, and the smallest possible one."""
    drawn: Counter[tuple[tuple[int, ...], int]] = Counter()
    seen, expected = 0, 0.0
    for (before, after), times in pairs.items():
        scores = [round(value - low) for value in (*before, *after)]
        if any(abs(score - (value - low)) > 1e-9 for score, value in zip(scores, (*before, *after), strict=True)):
            raise ValueError("an exact test needs whole numbers: multiply scores with decimals by 10 or 100")
        if len(set(scores)) == 1:
            continue
        drawn[tuple(sorted(scores)), len(after)] += times
        seen += times * sum(scores[len(before) :])
        expected += times * sum(scores) * len(after) / len(scores)
    sums = [(_sums(*each), times) for each, times in drawn.items()]
    ends = [(each.nonzero()[0][[0, -1]], each, times) for each, times in sums]
    attainable = min(1.0, 2 * min(prod(float(each[place[end]]) ** n for place, each, n in ends) for end in (0, 1)))
    if change * (seen - expected) < -_ROUNDING:
        return 1.0, attainable
    chances = _total([_repeated(*each) for each in sums])
    least = min(float(chances[: seen + 1].sum()), float(chances[seen:].sum()))
    return min(1.0, max(2 * least, attainable)), attainable


def _repeated(chances: Chances, times: int) -> Chances:
    """Return the distribution of the sum of so many equal draws."""
    found = np.ones(1)
    while times:
        if times & 1:
            found = _sum(found, chances)
        times >>= 1
        chances = _sum(chances, chances) if times else chances
    return found


def _total(distributions: Sequence[Chances]) -> Chances:
    """Return the distribution of the sum of draws, adding the shortest two first."""
    heap = [(len(each), number, each) for number, each in enumerate(distributions)]
    heapify(heap)
    while len(heap) > 1:
        _, number, one = heappop(heap)
        found = _sum(one, heap[0][2])
        heapreplace(heap, (len(found), number, found))
    return heap[0][2] if heap else np.ones(1)


def _sum(one: Chances, other: Chances) -> Chances:
    """Return the distribution of the sum of two draws.

    Fourier transforms of long ones are exact to about 1e-15.
    """
    if min(len(one), len(other)) <= _DIRECT:
        return np.convolve(one, other)
    length = len(one) + len(other) - 1
    size = 1 << (length - 1).bit_length()
    wave = np.fft.rfft(one, size) * np.fft.rfft(other, size)
    return np.maximum(np.fft.irfft(wave, size)[:length], 0)


def _sums(scores: Sequence[int], chosen: int) -> Chances:
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


def _signs_flipped(pairs: Pairs, low: float, change: float) -> tuple[float, float]:
    """Return the two-sided p-value if changes take either sign, and the smallest possible one.

    The distribution of the sum comes from its characteristic function.
    """
    finest = next((steps for most, steps in _LATTICES if pairs.total() <= most), _COARSEST)
    unit = min(lcm(*{len(side) for pair in pairs for side in pair}), finest)
    steps, total = Counter[int](), 0
    for (b, a), times in pairs.items():
        step = round(unit * (sum(a) / len(a) - sum(b) / len(b)))
        total += step * times
        steps[abs(step)] += times
    del steps[0]
    seen, attainable = abs(total), min(1.0, 2.0 ** (1 - steps.total()))
    if not steps or not seen:
        return 1.0, attainable
    size = 1 << (2 * sum(step * times for step, times in steps.items()) + 1).bit_length()
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    wave = np.ones(size // 2 + 1)
    for step, times in steps.items():
        wave = wave * np.cos(angle * step) ** times
    chances = np.maximum(np.fft.irfft(wave, size), 0)
    return min(1.0, 2 * float(chances[seen : size // 2].sum())), attainable
