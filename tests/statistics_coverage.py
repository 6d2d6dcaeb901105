"""Simulations of intervals, gates and comparisons, through the public functions."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sparring import statistics
from sparring.statistics import Claim


@dataclass(frozen=True)
class Cell:
    """A population of cases, and a suite drawn from it."""

    cases: int
    repeats: int
    icc: float
    truth: float

    def chances(self, random: np.random.Generator) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Draw the pass chance of each case: beta distributed, equal for 0, and 0 or 1 for an ICC of 1."""
        if self.icc == 0:
            return np.full(self.cases, self.truth)
        if self.icc == 1:
            return (random.random(self.cases) < self.truth).astype(float)
        k = 1 / self.icc - 1
        return random.beta(self.truth * k, (1 - self.truth) * k, self.cases)

    def batch(
        self, random: np.random.Generator, chances: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    ) -> list[list[int]]:
        """Play every case `repeats` times."""
        passed = random.random((self.cases, self.repeats)) < chances[:, None]
        return [[int(each) for each in row] for row in passed]


def covered(cell: Cell, claim: Claim, runs: int, seed: int) -> tuple[float, float]:
    """Return the share of 95 % intervals that hold the truth, and that of gates that let a bot on the bar through."""
    random = np.random.default_rng(seed)
    held = through = 0
    for _ in range(runs):
        chances = cell.chances(random)
        truth = float(chances.mean()) if claim == "these" else cell.truth
        rows = cell.batch(random, chances)
        found = statistics.rate(rows, claim=claim)
        held += found.low - 1e-9 <= truth <= found.high + 1e-9
        through += statistics.rate(rows, claim=claim, sided=1).low > truth
    return held / runs, through / runs


def significant_share(
    cell: Cell, fall: float, claim: Claim, runs: int, seed: int, *, in_proportion: bool = False
) -> float:
    """Return the share of comparisons that say "worse" of a bot whose cases all fall by `fall`, or in proportion."""
    random = np.random.default_rng(seed)
    worse = 0
    for _ in range(runs):
        chances = cell.chances(random)
        less = chances * (1 - fall / cell.truth) if in_proportion else np.clip(chances - fall, 0, 1)
        before, after = cell.batch(random, chances), cell.batch(random, less)
        worse += statistics.difference(before, after, claim=claim).direction == "worse"
    return worse / runs


def changes_covered(cell: Cell, fall: float, claim: Claim, runs: int, seed: int) -> float:
    """Return the share of 95 % intervals that hold the change of a bot whose cases all fall in proportion."""
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(runs):
        chances = cell.chances(random)
        less = chances * (1 - fall / cell.truth)
        change = float((less - chances).mean()) if claim == "these" else -fall
        found = statistics.difference(cell.batch(random, chances), cell.batch(random, less), claim=claim)
        held += found.low - 1e-9 <= change <= found.high + 1e-9
    return held / runs


def pass_hat_covered(cell: Cell, k: int, claim: Claim, runs: int, seed: int) -> float:
    """Return the share of 95 % intervals of pass^k that hold the truth."""
    random = np.random.default_rng(seed)
    truth = float((replace(cell, cases=200_000).chances(random) ** k).mean())
    held = 0
    for _ in range(runs):
        chances = cell.chances(random)
        found = statistics.pass_hat_k(cell.batch(random, chances), k, claim=claim)
        held += found.low <= (float((chances**k).mean()) if claim == "these" else truth) <= found.high
    return held / runs


def unknown_covered(cell: Cell, claim: Claim, runs: int, seed: int) -> float:
    """Return the share of intervals that hold the truth where failures are lost three times as often as passes."""
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(runs):
        chances = cell.chances(random)
        rows = [
            [None if random.random() < (0.03, 0.1)[v == 0] else v for v in row] for row in cell.batch(random, chances)
        ]
        found = statistics.rate(rows, claim=claim)
        held += found.low <= (float(chances.mean()) if claim == "these" else cell.truth) <= found.high
    return held / runs


def pairs_covered(cases: int, repeats: int, odd: float, runs: int, seed: int) -> float:
    """Return the share of intervals that hold the rate of a rule over pairs that holds for two alike conversations."""
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(runs):
        found = statistics.tuple_rate(_pairs((random.random((cases, repeats)) < odd).sum(axis=1), repeats))
        held += found.low <= 2 * odd * (1 - odd) <= found.high
    return held / runs


def decided(truth: float, threshold: float, runs: int, seed: int, *, cases: int = 400) -> tuple[float, float, float]:
    """Return the shares of sequential tests that decide above and below, and the mean number of cases they took."""
    random = np.random.default_rng(seed)
    came, took = {"above": 0, "below": 0, None: 0}, 0
    for _ in range(runs):
        bets, decision = statistics.Sequential(threshold), None
        for _ in range(cases):
            took += 1
            decision = bets.add([float(random.random() < truth)])
            if decision:
                break
        came[decision] += 1
    return came["above"] / runs, came["below"] / runs, took / runs


def significant_share_of_rules(cases: int, repeats: int, odd: float, runs: int, seed: int) -> float:
    """Return the share of comparisons of one bot that call a rule over pairs worse; some conversations are `odd`.

    The rule holds for pairs that are both odd or both not; a pair inside one case counts once for it.
    """
    random = np.random.default_rng(seed)
    worse = 0
    for _ in range(runs):
        sides = [_pairs((random.random((cases, repeats)) < odd).sum(axis=1), repeats) for _ in range(2)]
        change, p = statistics.tuple_difference(*sides)
        worse += p < 0.05 and change > 0
    return worse / runs


def _pairs(odd: "np.ndarray[tuple[int], np.dtype[np.int64]]", repeats: int) -> statistics.Tuples:
    """Return ordered pairs of conversations, and those of which one is odd and the other is not."""
    number, total = repeats * len(odd), int(odd.sum())
    inside = 2 * odd * (repeats - odd)
    touching = 2 * (odd * (number - total) + (repeats - odd) * total) - inside
    applicable = 2 * repeats * (number - 1) - repeats * (repeats - 1)
    by_case = [(int(each), applicable) for each in touching]
    return statistics.Tuples(2 * total * (number - total), number * (number - 1), by_case)


def significant_share_of_tags(tags: int, cases: int, runs: int, seed: int) -> float:
    """Return the share of comparisons of one bot that name a tag among several, each with as many cases."""
    random, named = np.random.default_rng(seed), 0
    for _ in range(runs):
        chances = Cell(cases, 1, 0.3, 0.8).chances(random)
        before, after = ((random.random(cases) < chances).astype(int).tolist() for _ in range(2))
        found = [
            statistics.difference([[v] for v in before[n::tags]], [[v] for v in after[n::tags]]) for n in range(tags)
        ]
        adjusted = statistics.holm([each.p for each in found], attainable=[each.attainable_p for each in found])
        named += min(adjusted) < 0.05
    return named / runs


def alarmed(cases: int, repeats: int, drift: float, runs: int, seed: int, *, nights: int = 30) -> float:
    """Return the share of series with an alarm against their first five nights; `drift` is lost each night."""
    random, alarms = np.random.default_rng(seed), 0
    for _ in range(runs):
        chances = Cell(cases, repeats, 0.3, 0.9).chances(random)
        held = [random.random((cases, repeats)) < np.clip(chances - drift * n, 0, 1)[:, None] for n in range(nights)]
        baseline, again = np.concatenate(held[:5], axis=1).astype(int).tolist(), False
        for night in held[5:]:
            found = statistics.difference(baseline, night.astype(int).tolist())
            worse = found.direction == "worse"
            if worse and (again or found.p < 0.001):
                alarms += 1
                break
            again = worse
    return alarms / runs


def grid(cases: tuple[int, ...], repeats: tuple[int, ...]) -> Iterator[Cell]:
    """Yield the cells with these numbers of cases and repeats."""
    for number in cases:
        for times in repeats:
            for icc in (0, 0.1, 0.3, 0.5, 0.8, 1):
                for truth in (0.05, 0.5, 0.8, 0.9, 0.95, 0.99):
                    if times > 1 or icc == 0:
                        yield Cell(number, times, icc, truth)
