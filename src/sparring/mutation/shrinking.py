"""The search for a smallest part of something, such as a scenario, that still fails.

The needed elements are found one by one, each by bisection. Then each is removed alone: if none can be, the result is
minimal. Otherwise failing is not monotone, and delta debugging continues from the smallest part found.

For a chatbot that fails only in a share of runs, the needed elements are learned by Bayesian sampling: without one of
them a run rarely fails; with all of them it fails in a larger share. Neither share is known.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, log
from typing import Any, Generic, TypeVar

import numpy as np

_Numbers = np.ndarray[Any, np.dtype[np.float64]]
_Flags = np.ndarray[Any, np.dtype[np.bool_]]

_STRAYS: _Numbers = np.array([0.002, 0.02, 0.06, 0.12])
_STRAY_PRIOR: _Numbers = np.log([0.5, 0.2, 0.2, 0.1])
"""Shares of runs without a needed element that fail nevertheless, and how likely each share is at first."""

_SHARES: _Numbers = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97])
"""Shares of runs with all needed elements that fail."""

_USUAL = 5
"""Numbers of needed elements up to this one are equally likely; each further one is less so."""

_LIKELY = log(9)
"""Logarithm of the odds that a likely element is needed."""

_SURE, _MINIMAL = 0.98, 0.9
"""Chance of one set of needed elements that ends the search, and that makes its result minimal."""

_LAST = 3
"""Runs at the end that are kept for the most likely set, if it has not failed."""

_SAMPLES, _SWEEPS, _ORDERS = 400, 3, 6
_IMPOSSIBLE = -27.0


class Belief:
    """Which elements may be needed, as samples that each run weighs and that Gibbs sampling then varies."""

    def __init__(self, size: int, failed: int, passed: int, likely: frozenset[int]) -> None:
        self._random = np.random.default_rng(size)
        self._likely: _Flags = np.isin(np.arange(size), list(likely))
        self._prior = _log_chances(size - int(self._likely.sum()))
        self._whole = failed * np.log(_SHARES) + passed * np.log(1 - _SHARES)
        numbers = self._random.integers(0, min(size, _USUAL) + 1, _SAMPLES)
        self._needed: _Flags = self._random.random((_SAMPLES, size)).argsort(1) < numbers[:, None]
        self._needed |= self._likely & (self._random.random((_SAMPLES, size)) < 1 / (1 + np.exp(-_LIKELY)))
        self._share = self._drawn(_SHARES, np.tile(self._whole, (_SAMPLES, 1)))
        self._stray = self._drawn(_STRAYS, np.tile(_STRAY_PRIOR, (_SAMPLES, 1)))
        self._without: _Flags = np.zeros((0, size), bool)
        self._results: list[bool | None] = []

    def likeliest(self) -> tuple[frozenset[int], float]:
        """Return the most likely set of needed elements, and its chance."""
        sets, counts = np.unique(self._needed, axis=0, return_counts=True)
        at = int(counts.argmax())
        return frozenset(map(int, np.flatnonzero(sets[at]))), float(counts[at]) / _SAMPLES

    def sufficient(self, part: frozenset[int]) -> float:
        """Return the chance that a part has all needed elements."""
        return float((~self._needed[:, self._others(part)].any(1)).mean())

    def add(self, without: frozenset[int], *, failed: bool | None) -> None:
        """Take a run into account; None if there can be none without these elements."""
        row = np.isin(np.arange(self._needed.shape[1]), list(without))
        self._without = np.vstack([self._without, row])
        self._results.append(failed)
        intact = ~(self._needed & row).any(1)
        share = np.where(intact, self._share, self._stray)
        weights = np.where(intact, np.exp(_IMPOSSIBLE), 1.0) if failed is None else share if failed else 1 - share
        picked = (self._random.random() + np.arange(_SAMPLES)) / _SAMPLES
        kept = np.searchsorted(np.cumsum(weights / weights.sum()), picked).clip(0, _SAMPLES - 1)
        self._needed, self._share, self._stray = self._needed[kept], self._share[kept], self._stray[kept]
        self._vary()

    def most_informative(self) -> frozenset[int]:
        """Return the elements without which the next run tells most about all."""
        size = self._needed.shape[1]
        chances = self._needed.mean(0)
        noise = np.exp(self._random.normal(0, 0.7, (_ORDERS, size)))
        orders = (np.vstack([chances, chances * noise]) + self._random.random((1 + _ORDERS, size)) * 1e-4).argsort(1)
        ranks = orders.argsort(1)
        prefixes = (ranks[:, None, :] <= np.arange(size)[:, None]).reshape(-1, size)
        likeliest = self._others(self.likeliest()[0])
        without_one = likeliest | np.eye(size, dtype=bool)[~likeliest]
        candidates = np.unique(np.vstack([prefixes, likeliest, without_one]), axis=0)
        candidates = candidates[candidates.any(1)]
        intact = (candidates.astype(np.int16) @ self._needed.T.astype(np.int16)) == 0
        share = np.where(intact, self._share, self._stray)
        information = _entropy(share.mean(1)) - _entropy(share).mean(1)
        return frozenset(map(int, np.flatnonzero(candidates[information.argmax()])))

    def _others(self, part: frozenset[int]) -> _Flags:
        return ~np.isin(np.arange(self._needed.shape[1]), list(part))

    def _drawn(self, values: _Numbers, log_chances: _Numbers) -> _Numbers:
        drawn: _Numbers = values[(log_chances + self._random.gumbel(size=log_chances.shape)).argmax(1)]
        return drawn

    def _vary(self) -> None:
        fails = np.array([each is True for each in self._results])
        passes = np.array([each is False for each in self._results])
        for _ in range(_SWEEPS):
            lost = self._vary_needed(fails, passes)
            intact, broken = lost == 0, lost > 0
            self._share = self._drawn(_SHARES, self._whole + _log_likelihood(_SHARES, intact & fails, intact & passes))
            strays = _log_likelihood(_STRAYS, broken & fails, broken & passes)
            self._stray = self._drawn(_STRAYS, _STRAY_PRIOR + strays)

    def _vary_needed(self, fails: _Flags, passes: _Flags) -> np.ndarray[Any, np.dtype[np.int16]]:
        """Draw anew if each element is needed; return how many needed elements each run is without."""
        failing = np.log(self._share / self._stray)[:, None]
        passing = np.log((1 - self._share) / (1 - self._stray))[:, None]
        intact = np.where(fails, failing, np.where(passes, passing, _IMPOSSIBLE))
        lost = self._needed.astype(np.int16) @ self._without.T.astype(np.int16)
        number = (self._needed & ~self._likely).sum(1)
        for each in self._random.permutation(self._needed.shape[1]):
            runs, counted = self._without[:, each], not self._likely[each]
            others, fewer = lost[:, runs] - self._needed[:, [each]], number - counted * self._needed[:, each]
            prior = self._prior[fewer + 1] - self._prior[fewer] if counted else _LIKELY
            odds = prior - ((others == 0) * intact[:, runs]).sum(1)
            self._needed[:, each] = self._random.random(_SAMPLES) < 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
            lost[:, runs] = others + self._needed[:, [each]]
            number = fewer + counted * self._needed[:, each]
        return lost


def _log_chances(size: int) -> _Numbers:
    """Return the logarithm of the chance of one set of needed elements, by its number of elements."""
    return np.array([-max(0, each - _USUAL) - log(comb(size, each)) for each in range(size + 1)])


def _log_likelihood(shares: _Numbers, fails: _Flags, passes: _Flags) -> _Numbers:
    found: _Numbers = fails.sum(1)[:, None] * np.log(shares) + passes.sum(1)[:, None] * np.log(1 - shares)
    return found


def _entropy(share: _Numbers) -> _Numbers:
    found: _Numbers = -share * np.log(share) - (1 - share) * np.log(1 - share)
    return found


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
    known: Iterable[tuple[frozenset[int], bool]] = (),
    likely: frozenset[int] = frozenset(),
) -> Shrunk:
    """Return a smallest part that fails as `shrink` does, where even the whole fails in a share of runs.

    `failed` and `passed` are runs of the whole, and `known` are those of parts, with True if they failed. Elements that
    are `likely` needed count as needed until runs tell otherwise. Every run of a part tells how likely each element is
    needed; the next part is the one that tells most. The search ends when one set of needed elements is 98 % sure and
    failed.
    """
    belief = Belief(size, failed, passed, likely)
    whole = frozenset(range(size))
    failing = {whole}
    for part, result in known:
        belief.add(whole - part, failed=result)
        failing |= {part} if result else set()
    spent = 0
    while True:
        best, chance = belief.likeliest()
        if best in failing and (chance >= _SURE or spent == runs):
            return Shrunk(tuple(sorted(best)), spent, minimal=chance >= _MINIMAL)
        if spent == runs:
            enough = min((each for each in failing if belief.sufficient(each) > 0.5), key=len, default=whole)
            return Shrunk(tuple(sorted(enough)), spent, minimal=False)
        final = best not in failing and (chance >= _SURE or runs - spent <= _LAST)
        part = best if final else whole - belief.most_informative()
        candidate = build(part)
        if candidate is None:
            belief.add(whole - part, failed=None)
            continue
        spent += 1
        found = await fails(candidate)
        belief.add(whole - part, failed=found)
        failing |= {part} if found else set()
