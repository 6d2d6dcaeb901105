"""The search for a smallest part of something that still fails, such as of a scenario.

The elements that are needed are found one by one, each by halving. Then each is left out alone: if none can be, the
result is minimal. Otherwise failing is not monotone, and delta debugging goes on from the smallest part found.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from sparring.mutation.needed_elements import Belief

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

    `build` returns the candidate with some of the elements, or None if there is none; equal candidates are run once.
    Elements that are more worth keeping come first. The search ends early after `runs` runs.
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
    """Return True if the best part still fails without one of its elements."""
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
        without = belief.telling()
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
