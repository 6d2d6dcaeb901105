"""Values that the statistics take and return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Rows = Sequence[Sequence[float | bool | None]]
"""Outcomes or scores: a row for each case, with a value for each repeat; None if it is unknown."""

Claim = Literal["these", "like these"]
"""What an interval is about: the cases that were run, or the population that they are a sample of.

For `these`, only the repeats are random. For `like these`, the cases are random as well, and only more cases help once
repeats agree.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate with its bounds, on the scale of the values.

    Every case weighs the same. `value` is None if nothing is known; the bounds are then the whole scale. `effective` is
    the number of independent conversations with the same information. `unknown` counts values that are None: they count
    as the worst for `low` and as the best for `high`.
    """

    value: float | None
    low: float
    high: float
    confidence: float
    claim: Claim
    cases: int
    conversations: int
    effective: float
    unknown: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Interval):
    """A change with its bounds, and the p-value of an exact permutation test against no change.

    `attainable_p` is the smallest one that this test could have given with the same totals.
    """

    p: float = 1.0
    attainable_p: float = 0.0

    @property
    def direction(self) -> Literal["better", "worse", "not told"]:
        """The result of the test alone; the interval is more careful, and may still contain 0."""
        if self.value is None or self.value == 0 or self.p >= 1 - self.confidence:
            return "not told"
        return "worse" if self.value < 0 else "better"


@dataclass(frozen=True, slots=True)
class Judged:
    """A conversation of a case with the value that a judge gave it, and the label of people.

    Values are scores, or 0 and 1. `judged` is None if the judge decided nothing. `weight` is the number of
    conversations that the label stands for by the draw of the sample.
    """

    case: str
    judged: float | None
    label: float | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeErrors:
    """Figures of a judge for all conversations, not only for the labeled ones.

    `mean` is the corrected mean of all labels, and `labels_alone` the estimate without the judge. `kappa` is linearly
    weighted, `ac1` is Gwet's (2008). For labels 0 and 1, `sensitivity` is the judge's pass rate among conversations
    that people pass, `specificity` its fail rate among those that people fail, and `youden` their sum less 1.
    """

    mean: Interval
    labels_alone: Interval
    kappa: Interval
    ac1: Interval
    sensitivity: Interval
    specificity: Interval
    youden: Interval


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless `confidence` lies between 0.5 and 1."""
    if not 0.5 < confidence < 1:
        raise ValueError(f"confidence must be above 0.5 and below 1, not {confidence:g}")


def check_scale(rows: Rows, low: float, high: float) -> None:
    """Raise ValueError if the scale is empty or a value lies outside of it."""
    if not low < high:
        raise ValueError(f"the scale must rise, not go from {low:g} to {high:g}")
    for number, row in enumerate(rows):
        for value in row:
            if value is not None and not low <= value <= high:
                raise ValueError(f"row {number}: {value!r} is outside of the scale from {low:g} to {high:g}")


def known(rows: Rows) -> list[list[float]]:
    """Return the rows without unknown values, and without rows that have no other."""
    found = [[float(value) for value in row if value is not None] for row in rows]
    return [row for row in found if row]


def unknown(rows: Rows) -> int:
    """Return the number of unknown values."""
    return sum(value is None for row in rows for value in row)


def filled(rows: Rows, value: float) -> list[list[float]]:
    """Return the rows that are not empty, with `value` for what is unknown."""
    return [[value if each is None else float(each) for each in row] for row in rows if row]
