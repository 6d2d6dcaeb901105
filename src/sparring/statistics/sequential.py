"""A test that may be looked at after every step (Waudby-Smith & Ramdas 2024)."""

from collections.abc import Sequence
from math import log
from typing import Literal

import numpy as np

_STAKES = np.geomspace(0.01, 0.98, 32)
"""Stakes of the bets whose mean wealth is the evidence."""

_NEVER_ZERO = 1e-9
_GRID = 100

Side = Literal["above", "below"]


class Sequential:
    """Bets against "the mean is at most `threshold`" and against "the mean is at least `other`".

    `other` is `threshold` unless it is given. Each decision is wrong with a chance of at most `alpha`, however often it
    is looked at. Values lie between `low` and `high`.
    """

    def __init__(
        self,
        threshold: float,
        *,
        low: float = 0.0,
        high: float = 1.0,
        alpha: float = 0.05,
        other: float | None = None,
    ) -> None:
        if not low <= threshold <= high:
            raise ValueError(f"threshold {threshold:g} is outside of the scale from {low:g} to {high:g}")
        self._threshold, self._other = threshold, threshold if other is None else other
        self._low, self._high, self._alpha = low, high, alpha
        self._up_bets = _STAKES / max(self._threshold - low, _NEVER_ZERO)
        self._down_bets = _STAKES / max(high - self._other, _NEVER_ZERO)
        self._up, self._down = np.zeros(len(_STAKES)), np.zeros(len(_STAKES))

    def add(self, values: Sequence[float | None]) -> Side | None:
        """Add one step, and return the decision so far.

        A step is a whole round (all cases once) for these cases, or a whole case (the mean of its repeats) for cases
        like these. Unknown values speak against both decisions.
        """
        for value in values:
            least, most = (self._low, self._high) if value is None else (value, value)
            if not self._low <= least <= self._high:
                raise ValueError(f"{value!r} is outside of the scale from {self._low:g} to {self._high:g}")
            self._up += np.log1p(self._up_bets * (least - self._threshold))
            self._down += np.log1p(self._down_bets * (self._other - most))
        return self.decision

    @property
    def evidence(self) -> tuple[float, float]:
        """Logarithms of the wealth against "at most the threshold" and against "at least the other"."""
        up, down = (float(np.logaddexp.reduce(each) - log(len(_STAKES))) for each in (self._up, self._down))
        return up, down

    @property
    def needed(self) -> float:
        """The evidence that decides."""
        return -log(self._alpha)

    @property
    def decision(self) -> Side | None:
        """`above`, `below`, or None as long as it is open."""
        up, down = self.evidence
        return "above" if up >= self.needed else "below" if down >= self.needed else None


def always_valid(
    steps: Sequence[Sequence[float | None]], *, low: float = 0.0, high: float = 1.0, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval that holds at any look: thresholds on a grid that betting has not refuted."""
    step = (high - low) / _GRID
    kept = []
    for threshold in np.linspace(low, high, _GRID + 1)[1:-1]:
        bets = Sequential(float(threshold), low=low, high=high, alpha=(1 - confidence) / 2)
        if not any(bets.add(values) for values in steps):
            kept.append(float(threshold))
    return (max(low, kept[0] - step), min(high, kept[-1] + step)) if kept else (low, high)
