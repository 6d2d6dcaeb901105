"""Integer codes for values: equal for equal values, and ordered for values that Python can order."""

import datetime
from collections.abc import Hashable
from typing import Any

import numpy as np

from sparring.rules.equality import frozen
from sparring.rules.evaluate.columns import Bools, Column, Ints
from sparring.rules.undecided import Failure

NOTHING, UNDECIDED = -1, -2
_NUMBER = 0
_KINDS: dict[type, int] = {
    int: _NUMBER,
    float: _NUMBER,
    bool: _NUMBER,
    str: 1,
    datetime.date: 2,
    bytes: 5,
    dict: NOTHING,
    type(None): NOTHING,
    Failure: UNDECIDED,
}
_EXACT = 2**53


class Equality:
    """Assigns one code to each distinct value; -1 for failures and values that do not equal themselves."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, int] = {}

    def codes(self, column: Column) -> Ints:
        """Return the codes of a column's values by conversation."""
        return column.mapped(map(self._code, column.values))

    def _code(self, value: Any) -> int:
        if type(value) is Failure:
            return -1
        key, equals_itself = frozen(value)
        return self._ids.setdefault(key, len(self._ids)) if equals_itself else -1


class Ranks:
    """Kinds and ranks of the values of two columns that are to be ordered.

    Values of one kind can be ordered; None and mappings cannot be ordered at all. `possible` is False if a column has
    values, such as lists, whose order is not known beforehand. Equal values have the same rank in both columns. The
    rank of NaN is -1: it is neither smaller nor larger, without an error.
    """

    def __init__(self, left: Column, right: Column) -> None:
        values = left.values if left.values is right.values else [*left.values, *right.values]
        kinds = [_kind(value) for value in values]
        self.possible = None not in kinds
        if not self.possible:
            return
        known = [kind for kind in kinds if kind is not None]
        ranks = _ranks(values, known)
        split = len(values) - len(right.values)
        self.left_kinds, self.left = left.mapped(known[: len(left.values)]), left.mapped(ranks[: len(left.values)])
        self.right_kinds, self.right = right.mapped(known[split:]), right.mapped(ranks[split:])

    def clash(self, left: Bools, right: Bools) -> bool:
        """Return True if some pair cannot be ordered, such as a number and a text."""
        kinds = np.unique(np.concatenate([self.left_kinds[left], self.right_kinds[right]]))
        return len(kinds) > 1 or (len(kinds) == 1 and bool(kinds[0] < 0))


def _kind(value: Any) -> int | None:
    if type(value) is datetime.datetime:
        return 3 if value.utcoffset() is None else 4
    return _KINDS.get(type(value))


def _ranks(values: list[Any], kinds: list[int]) -> list[int]:
    if all(type(value) is float or (type(value) is int and -_EXACT < value < _EXACT) for value in values):
        return _ranks_of_numbers(values)
    by_kind: dict[int, set[Any]] = {}
    for value, kind in zip(values, kinds, strict=True):
        if kind >= 0 and value == value:
            by_kind.setdefault(kind, set()).add(value)
    ranks = {kind: {value: at for at, value in enumerate(sorted(some))} for kind, some in by_kind.items()}
    return [ranks.get(kind, {}).get(value, -1) if kind >= 0 else -1 for value, kind in zip(values, kinds, strict=True)]


def _ranks_of_numbers(values: list[Any]) -> list[int]:
    """Return the ranks of numbers that a float represents exactly."""
    numbers = np.array(values, np.float64)
    there = ~np.isnan(numbers)
    ranks = np.full(len(numbers), -1, np.int64)
    ranks[there] = np.searchsorted(np.unique(numbers[there]), numbers[there])
    found: list[int] = ranks.tolist()
    return found
