"""The search for the turn after which a conversation fails however it goes on.

A probe replays the first turns of a conversation and continues; it fails or passes. For a deterministic chatbot the
turn is found by bisection. For a random one, the next probe is the one with the most expected information about the
turn.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

Failed = bool | None
"""The result of a probe; None if it says nothing about the chatbot."""

Continuation = Callable[[int, int], Awaitable[Failed]]
"""Go on after a number of turns (from 0), in one of several ways (from 0)."""

SURE = 0.98
"""Probability at which the search for a turn ends."""

_SET = 0.9
"""Probability that the turn is among those that are named."""

_REPEATS = 3
"""Times that a way to pass before the turn must pass again, for the chatbot to be one that repeats itself."""

_BEFORE = (0.02, 0.07, 0.12, 0.2, 0.3)
_AFTER = (0.5, 0.6, 0.7, 0.8, 0.9, 0.97)
_LEAST_RISE = 0.3
"""Shares of failures before and after the turn that are thought possible, and their smallest difference.

Smaller differences would rarely be found in 40 probes, and make the search for larger ones less certain."""

_FROM_START = 0.3
"""Probability that all conversations fail, as a share of that of each turn."""

_STARTS, _SOMETIMES, _ALWAYS = 8, 0.05, 8
"""Most conversations from the start of a random chatbot, and the odds that end them: does it fail from the start?"""

_FAILED, _PASSED = 0.6 / 0.15, 0.4 / 0.85
"""What a failed or passed conversation says of these odds."""

_Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class DecidingTurn:
    """The turn, 0 if the conversation fails from the start, and its probability.

    The turn is `among` these with 90 %.
    """

    turn: int
    probability: float
    among: tuple[int, ...]
    probes: int


class _Spent(Exception):
    """The probes are used up."""


class _Changed(Exception):
    """The same probe had another result."""


class Search:
    """A search over the first `turns` turns of a failed conversation, with at most `most` probes.

    `ways` is the number of continuations. `fails_at_last` is True if the replies stay as recorded, so that the
    conversation fails after its last turn. `known` are earlier results, each with its turn.
    """

    def __init__(
        self,
        turns: int,
        go_on: Continuation,
        *,
        ways: int,
        most: int,
        fails_at_last: bool,
        known: Iterable[tuple[int, bool]] = (),
    ) -> None:
        self._turns, self._go_on, self._ways, self._most = turns, go_on, ways, most
        self._fails_at_last = fails_at_last
        self._seen: dict[tuple[int, int], Failed] = {}
        self._weights = _Weights(turns, last=fails_at_last)
        self.probes = 0
        self.results: list[tuple[int, bool]] = []
        """Results of probes, each with its turn."""
        for turn, failed in known:
            self._weights.add(turn, failed=failed)

    async def exact(self, *, from_start: bool = False) -> DecidingTurn | None:
        """Return the turn of a chatbot that repeats itself; None if it does not, or the probes are used up.

        With `from_start`, end soon if no continuation passes even then.
        """
        try:
            if from_start and await self._committed(0):
                await self._confirm(0)
                return DecidingTurn(0, 1.0, (0,), self.probes)
            found, passes = self._turns, -1
            while found - passes > 1:
                middle = (found + passes) // 2
                if await self._committed(middle):
                    found = middle
                else:
                    passes = middle
            await self._confirm(found)
            later = await self._committed_after(found)
        except (_Spent, _Changed):
            return None
        return DecidingTurn(later, 1.0, (later,), self.probes)

    async def fails_from_start(self) -> bool:
        """Return True unless a random chatbot often passes with other words from the start."""
        odds = 1.0
        for way in range(min(_STARTS, self._most - self.probes)):
            if (failed := await self._probe(0, way % self._ways)) is not None:
                odds *= _FAILED if failed else _PASSED
            if not _SOMETIMES <= odds < _ALWAYS:
                break
        return odds >= _SOMETIMES

    async def likely(self) -> DecidingTurn:
        """Return the most probable turn, given the results of all probes."""
        way = self._ways
        while self.probes < self._most and self._weights.of_turns().max() < SURE:
            turn = self._weights.most_informative()
            await self._probe(turn, way)
            way += 1
        chances = self._weights.of_turns()
        order = [int(each) for each in np.argsort(-chances, kind="stable")]
        enough = int(np.searchsorted(np.cumsum(chances[order]), _SET)) + 1
        return DecidingTurn(order[0], float(chances[order[0]]), tuple(sorted(order[:enough])), self.probes)

    async def _committed(self, turn: int) -> bool:
        """Return True if no continuation passes."""
        if turn == self._turns and self._fails_at_last:
            return True
        for way in range(self._ways):
            if await self._known(turn, way) is False:
                return False
        return True

    async def _committed_after(self, turn: int) -> int:
        """Return the first turn from this one on after which no later one has a way to go on that passes.

        Each later turn is tried once, as far as the probes suffice.
        """
        for later in range(self._turns - self._fails_at_last, turn, -1):
            if self.probes < self._most and await self._known(later, later % self._ways) is False:
                found = later + 1
                while found < self._turns and not await self._committed(found):
                    found += 1
                return found
        return turn

    async def _confirm(self, turn: int) -> None:
        """Repeat the results on both sides of the turn, more often those before it."""
        for (at, way), was in list(self._seen.items()):
            times = {turn: 1, turn - 1: 1 if was else _REPEATS}.get(at, 0)
            for _ in range(times):
                if await self._probe(at, way) is not was:
                    raise _Changed

    async def _known(self, turn: int, way: int) -> Failed:
        if (turn, way) not in self._seen:
            self._seen[turn, way] = await self._probe(turn, way)
        return self._seen[turn, way]

    async def _probe(self, turn: int, way: int) -> Failed:
        if self.probes >= self._most:
            raise _Spent
        self.probes += 1
        failed = await self._go_on(turn, way)
        if failed is not None:
            self.results.append((turn, failed))
            self._weights.add(turn, failed=failed)
        return failed


class _Weights:
    """Probabilities of turns and shares of failures.

    Before the turn a conversation fails in a small share of cases, after it in a larger one. If the replies stay as
    they are recorded, there is a turn, the same or a later one, after which it always fails; of two rises, the larger
    one decides.
    """

    def __init__(self, turns: int, *, last: bool) -> None:
        shares = [(low, high) for low, high in product(_BEFORE, _AFTER) if high - low >= _LEAST_RISE]
        thought: list[tuple[int, int, float, float, float, int]] = []
        for turn in range(turns + 1):
            visible = [each for each in range(turn, turns + 1) if each] if last else [turns + 1]
            for at, (low, high) in product(visible, shares):
                rare = 0.5 / (len(visible) - 1) if len(visible) > 1 else 1.0
                weight = 0.5 if last and at == max(turn, 1) and len(visible) > 1 else rare
                weight *= (1 if turn else _FROM_START) / (low + 0.3)
                decides = at if last and 1 - high > 2 * (high - low) else turn
                thought.append((turn, at, low, high, weight, decides))
        table = np.array(thought)
        self._turn = table[:, 5].astype(int)
        after = np.arange(turns + 1)[:, None]
        certain, rising = after >= table[:, 1], after >= table[:, 0]
        self._fails = np.where(certain, 0.995, np.where(rising, table[:, 3], table[:, 2]))
        self._weight: _Numbers = table[:, 4] / table[:, 4].sum()

    def add(self, turn: int, *, failed: bool) -> None:
        """Take a result into account."""
        chance = self._fails[turn]
        weight = self._weight * (chance if failed else 1 - chance)
        self._weight = weight / weight.sum()

    def of_turns(self) -> _Numbers:
        """Return the probability of each turn."""
        return np.bincount(self._turn, self._weight, len(self._fails)).astype(float)

    def most_informative(self) -> int:
        """Return the turn whose probe is expected to leave the least uncertainty about the turn sought."""
        failing = np.array([np.bincount(self._turn, self._weight * chance, len(self._fails)) for chance in self._fails])
        passing = np.maximum(self.of_turns()[None, :] - failing, 0)
        return int(np.argmin(_uncertainty(failing) + _uncertainty(passing)))


def _uncertainty(joint: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> _Numbers:
    """Return the entropy of each row, times the sum of the row."""
    total = joint.sum(axis=1, keepdims=True)
    ratio = np.divide(joint, total, out=np.ones_like(joint), where=total > 0)
    found: _Numbers = -(joint * np.log(np.maximum(ratio, 1e-300))).sum(axis=1)
    return found
