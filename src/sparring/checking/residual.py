"""Conditions over several conversations that do not compare two columns: Python decides, once for each case."""

import ast
from typing import Any

import numpy as np

from sparring.checking.answers import Answers, Question, Unanswered
from sparring.checking.arithmetic import vectorised
from sparring.checking.bounds import STEPS
from sparring.checking.closures import closure
from sparring.checking.columns import Column, Ints
from sparring.checking.scene import Scene, evaluate
from sparring.checking.undecided import Failure, NeedsModel

FALSE, TRUE, ERROR, NO_MODEL = range(4)
_REMEMBERED = 1_000_000
_AN_EVALUATION = 10

Leaf = tuple[int, Column]


class Residual:
    """One such condition: a tree over cells, the columns it takes from which position, and how it came out so far.

    `exactly` asks for what equals True, as `then` does, and not only for what is true.
    """

    def __init__(self, tree: ast.expr, leaves: list[Leaf], answers: Answers, *, exactly: bool) -> None:
        self.leaves = leaves
        self.open_questions: list[Question] = []
        self.steps = 0
        self._term = closure(tree)
        self._scene = Scene((), answers)
        self._exactly = exactly
        self._fast = vectorised(tree, leaves)
        self._known: dict[tuple[int, ...], int] = {}

    def outcomes(self, rows: dict[int, Ints]) -> Ints:
        """How it comes out for tuples of conversations, given by position."""
        size = len(next(iter(rows.values())))
        found = np.full(size, -1, np.int64)
        if self._fast is not None:
            plain, values = self._fast.over(rows)
            found[plain] = (values == 1) if self._exactly else (values != 0)
        slow = np.flatnonzero(found < 0)
        if len(slow):
            keys = zip(*(column.codes[rows[at][slow]].tolist() for at, column in self.leaves), strict=True)
            found[slow] = [self._outcome(key) for key in keys]
        return found

    @property
    def quick(self) -> bool:
        """Whether it is arithmetic over plain numbers, which needs no Python for each case."""
        return self._fast is not None

    def _outcome(self, key: tuple[int, ...]) -> int:
        known = self._known.get(key)
        if known is None:
            known = self._evaluated(key)
            if len(self._known) < _REMEMBERED:
                self._known[key] = known
        return known

    def _evaluated(self, key: tuple[int, ...]) -> int:
        self._scene.cells = {
            (at, column.name): column.values[code] for (at, column), code in zip(self.leaves, key, strict=True)
        }
        value = self._value()
        self.steps += _AN_EVALUATION + STEPS - self._scene.steps
        if type(value) is not Failure:
            return TRUE if value else FALSE
        if isinstance(value.error, Unanswered):
            self.open_questions.append(value.error.question)
        return NO_MODEL if isinstance(value.error, NeedsModel) else ERROR

    def _value(self) -> Any:
        value = evaluate(self._term, self._scene)
        if type(value) is Failure:
            return value
        return value == True if self._exactly else bool(value)  # noqa: E712 - 1 is as good as True, "yes" is not
