"""The elements that a failure needs, learned from runs without some of them by Gibbs sampling.

Without a needed element a run rarely fails; with all of them it fails in a larger share. Neither share is known.
"""

from typing import Any

import numpy as np

_STRAY = 1.0, 15.0
"""Failures and passes without a needed element that are taken for granted; runs tell the chance of such a failure."""

_RISK = 0.05
"""Chance of an error about one element."""

_INFORMATIVE = 0.5
"""Chance that a part still has all needed elements, at which its run tells most."""

_CHAINS = 200
_IMPOSSIBLE = -30.0

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
_Flags = np.ndarray[Any, np.dtype[np.bool_]]


class Belief:
    """What is known of needed elements after runs without some of them."""

    def __init__(self, size: int, failed: int, passed: int) -> None:
        self._random = np.random.default_rng(size)
        self._whole = failed + 0.5, passed + 0.5
        self._share: _Numbers = np.full(_CHAINS, self._whole[0] / sum(self._whole))
        self._stray: _Numbers = np.full(_CHAINS, _STRAY[0] / sum(_STRAY))
        self._rate: _Numbers = np.full(_CHAINS, min(2 / size, 0.5))
        self._needed: _Flags = self._random.random((_CHAINS, size)) < self._rate[:, None]
        self._without: _Flags = np.zeros((0, size), bool)
        self._results: list[bool | None] = []
        self._sample(5)

    @property
    def settled(self) -> bool:
        """True if each element is known to be needed, or not."""
        chances = self._needed.mean(0)
        return bool(np.all((chances < _RISK) | (chances > 1 - _RISK)))

    @property
    def likely(self) -> frozenset[int]:
        """The elements that are more likely needed than not."""
        return frozenset(map(int, np.flatnonzero(self._needed.mean(0) > 0.5)))

    def add(self, without: frozenset[int], *, failed: bool | None) -> None:
        """Take a run into account; None if there can be none without these elements."""
        row = np.isin(np.arange(self._needed.shape[1]), list(without))
        self._without = np.vstack([self._without, row])
        self._results.append(failed)
        self._sample(6)

    def telling(self) -> frozenset[int]:
        """Return the elements without which the next run tells most; those that are not needed among them."""
        chances = self._needed.mean(0)
        without = chances < _RISK
        intact = ~(self._needed & without).any(1)
        for each in np.argsort(chances, kind="stable"):
            if not _RISK <= chances[each] <= 1 - _RISK:
                continue
            fewer = intact & ~self._needed[:, each]
            some = (without & (chances >= _RISK)).any()
            if some and abs(fewer.mean() - _INFORMATIVE) > abs(intact.mean() - _INFORMATIVE):
                break
            without[each], intact = True, fewer
        return frozenset(map(int, np.flatnonzero(without)))

    def _sample(self, sweeps: int) -> None:
        impossible = np.array([each is None for each in self._results], bool)
        fails = np.array([each is True for each in self._results], bool)
        size = self._needed.shape[1]
        for _ in range(sweeps):
            share, stray = self._share[:, None], self._stray[:, None]
            intact = np.where(fails, np.log(share / stray), np.log((1 - share) / (1 - stray)))
            intact = np.where(impossible, _IMPOSSIBLE, intact)
            lost = self._needed.astype(int) @ self._without.T.astype(int)
            for each in self._random.permutation(size):
                runs = self._without[:, each]
                others = lost[:, runs] - self._needed[:, [each]]
                odds = np.log(self._rate / (1 - self._rate)) - ((others == 0) * intact[:, runs]).sum(1)
                self._needed[:, each] = self._random.random(_CHAINS) < 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
                lost[:, runs] = others + self._needed[:, [each]]
            number = self._needed.sum(1)
            self._rate = np.clip(self._random.beta(0.5 + number, 4 + size - number), 1e-6, 1 - 1e-6)
            kept = (lost == 0) & ~impossible
            failed, passed = self._whole
            shares = self._random.beta(failed + (kept & fails).sum(1), passed + (kept & ~fails).sum(1))
            self._share = np.clip(shares, 0.02, 0.99)
            broken = (lost > 0) & ~impossible
            stray = self._random.beta(_STRAY[0] + (broken & fails).sum(1), _STRAY[1] + (broken & ~fails).sum(1))
            self._stray = np.clip(stray, 0.002, self._share / 2)
