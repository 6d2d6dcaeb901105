"""The search for a smallest part of something, such as a scenario, that still fails.

The needed elements are found one by one, each by bisection. Then each is removed alone: if none can be, the result is
minimal. Otherwise failing is not monotone, and delta debugging continues from the smallest part found.

For a chatbot that fails only in a share of runs, the needed elements are learned by Gibbs sampling: without one of them
a run rarely fails; with all of them it fails in a larger share. Neither share is known.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

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
    """Beliefs about needed elements after runs without some of them."""

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

    def most_informative(self) -> frozenset[int]:
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


T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest failing part that was found; `minimal` if it passes without any single element of it."""

    kept: tuple[int, ...]
    runs: int
    minimal: bool


class _Spent(Exception):
    """The runs are used up."""


class _Oracle(Generic[T]):
    """Tells if a part fails, runs equal candidates once, and remembers the smallest part that failed."""

    def __init__(
        self, build: Callable[[frozenset[int]], T | None], fails: Callable[[T], Awaitable[bool]], size: int, most: int
    ) -> None:
        self._build, self._fails, self._most = build, fails, most
        self._known: dict[T, bool] = {}
        self.best = tuple(range(size))
        self.runs = 0

    async def __call__(self, part: Sequence[int]) -> bool:
        candidate = self._build(frozenset(part))
        if candidate is None:
            return False
        if candidate not in self._known:
            if self.runs >= self._most:
                raise _Spent
            self.runs += 1
            self._known[candidate] = await self._fails(candidate)
        if self._known[candidate] and len(part) < len(self.best):
            self.best = tuple(sorted(part))
        return self._known[candidate]


async def shrink(
    size: int, build: Callable[[frozenset[int]], T | None], fails: Callable[[T], Awaitable[bool]], *, runs: int
) -> Shrunk:
    """Return a smallest part of the elements 0 to `size` - 1 that fails; all of them together fail.

    `build` returns the candidate with some of the elements, or None if there is none; equal candidates run once.
    Elements more worth keeping come first. The search ends after `runs` runs.
    """
    oracle = _Oracle(build, fails, size, runs)
    try:
        await _needed(size, oracle)
        if await _without_one(oracle):
            await _delta_debugging(oracle)
    except _Spent:
        return Shrunk(oracle.best, oracle.runs, minimal=False)
    return Shrunk(oracle.best, oracle.runs, minimal=True)


async def _needed(size: int, oracle: _Oracle[T]) -> None:
    """Find the needed elements from the last to the first.

    The shortest failing prefix, together with what is known to be needed, ends with a needed element.
    """
    needed: list[int] = []
    below = size  # `needed` and the elements below fail together
    while below and not await oracle(needed):
        passes = 0
        while below - passes > 1:
            middle = (passes + below) // 2
            if await oracle([*range(middle), *needed]):
                below = middle
            else:
                passes = middle
        below -= 1
        needed.append(below)


async def _without_one(oracle: _Oracle[T]) -> bool:
    """Return True if the smallest part still fails without one of its elements."""
    best = oracle.best
    for each in best:
        if await oracle([other for other in best if other != each]):
            return True
    return False


async def _delta_debugging(oracle: _Oracle[T]) -> None:
    """Leave out ever smaller chunks of the best part, until no single element can be left out."""
    chunks = 2
    while len(oracle.best) > 1:
        best, chunks = oracle.best, min(chunks, len(oracle.best))
        bounds = [len(best) * at // chunks for at in range(chunks + 1)]
        parts = [best[start:end] for start, end in pairwise(bounds)]
        rests = [tuple(each for each in best if each not in part) for part in parts]
        for candidate in (*(parts if chunks > 2 else ()), *rests):  # two parts are each other's rests
            if await oracle(candidate):
                chunks = 2 if candidate in parts else max(chunks - 1, 2)
                break
        else:
            if chunks == len(best):
                return
            chunks *= 2
    if oracle.best:
        await oracle(())


async def shrink_random(
    size: int,
    build: Callable[[frozenset[int]], T | None],
    fails: Callable[[T], Awaitable[bool]],
    *,
    failed: int,
    passed: int,
    runs: int,
) -> Shrunk:
    """Return a smallest part that fails as `shrink` does, where even the whole fails in a share of runs.

    `failed` and `passed` are runs of the whole. Every run of a part tells how likely each element is needed; the next
    part is the one that tells most. The search ends when all are known to be needed or not, with a risk of 5 % each.
    """
    belief = Belief(size, failed, passed)
    whole = frozenset(range(size))
    failing = {whole}
    spent = 0
    while True:
        without = belief.most_informative()
        part = whole - without
        if part in failing and belief.settled:
            return Shrunk(tuple(sorted(part)), spent, minimal=True)
        candidate = build(part)
        if candidate is None:
            belief.add(without, failed=None)
            continue
        if spent == runs:
            best = min((each for each in failing if belief.likely <= each), key=len)
            return Shrunk(tuple(sorted(best)), spent, minimal=False)
        spent += 1
        found = await fails(candidate)
        belief.add(without, failed=found)
        if found:
            failing.add(part)
