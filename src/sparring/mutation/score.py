"""The score of a run over mutants: the mean over operators of the share of killed mutants."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparring import statistics
from sparring.mutation.play import State
from sparring.mutation.run import MutantResult
from sparring.statistics import Interval

FEWEST_OPERATORS = 8
"""Operators below which there is no score."""


@dataclass(frozen=True, slots=True)
class OperatorScore:
    """Mutants of one operator: how many count, and how many of them were killed."""

    name: str
    killed: int
    of: int


@dataclass(frozen=True, slots=True)
class MutationScore:
    """The score, by operator and by state. `interval` is None if there are too few operators."""

    operators: tuple[OperatorScore, ...]
    interval: Interval | None
    counts: Mapping[str, int]

    @property
    def killed(self) -> int:
        """Number of mutants that count and were killed."""
        return sum(each.killed for each in self.operators)

    @property
    def of(self) -> int:
        """Number of mutants that count."""
        return sum(each.of for each in self.operators)


def score(results: Iterable[MutantResult]) -> MutationScore:
    """Return the score. Its interval is clustered by operator, because mutants of an operator are alike."""
    rows: dict[str, list[float | None]] = {}
    counts = {str(state): 0 for state in State} | {"cosmetic": 0, "accepted": 0}
    modes: dict[str, int] = {"derived": 0, "frozen": 0, "live": 0}
    for each in results:
        counts["accepted" if each.accepted else "cosmetic" if each.cosmetic else str(each.state)] += 1
        if each.shown is not None:
            modes[str(each.shown.mode)] += 1
        if each.scored:
            rows.setdefault(each.mutant.operator.name, []).append(float(each.state is State.KILLED))
    operators = tuple(
        OperatorScore(name, sum(value == 1 for value in row), len(row)) for name, row in sorted(rows.items())
    )
    enough = len(rows) >= FEWEST_OPERATORS
    return MutationScore(operators, statistics.rate([*rows.values()]) if enough else None, {**counts, **modes})
