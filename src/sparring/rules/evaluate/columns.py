"""Columns: the values of an expression for every conversation, each distinct value stored once.

A column is computed from required columns, once for each distinct combination of values. Filling the required columns
is the task of `required_columns`.
"""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sparring.rules.equality import exact_key
from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.compiled_rule import read_from_cells
from sparring.rules.evaluate.compiler import CompiledExpression, closure
from sparring.rules.evaluate.model_questions import ModelAnswers, ModelQuestion, Unanswered
from sparring.rules.evaluate.required_columns import RequiredColumns, required_columns
from sparring.rules.language.expressions import uses_model, variable
from sparring.rules.undecided import Failure, Undecided

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_LARGEST = 2**62


class NotNeeded(Undecided):
    """A model was not asked, because no outcome depends on the answer."""


class NotCollected(Undecided):
    """The expression depends on data that was not collected from the conversation."""


@dataclass(frozen=True, eq=False)
class Column:
    """`codes` holds for each conversation the index of its value in `values`. A value may be a Failure."""

    name: str
    codes: Ints
    values: list[Any]

    def where(self, test: Callable[[Any], bool]) -> Bools:
        """Return a mask of the conversations whose value passes the test."""
        return self.mapped(map(test, self.values)).astype(np.bool_)

    def mapped(self, numbers: Iterable[int]) -> Ints:
        """Return for each conversation the number assigned to its value."""
        table = np.fromiter(numbers, np.int64, len(self.values))
        return table[self.codes] if len(self.values) else np.zeros(len(self.codes), np.int64)

    @property
    def decided(self) -> Bools:
        """Mask of the conversations that have a value."""
        return self.where(lambda value: type(value) is not Failure)

    def of(self, rows: Ints) -> "Column":
        """Return the column restricted to some of the conversations."""
        return Column(self.name, self.codes[rows], self.values)


class ColumnSet:
    """Columns of some conversations, or of all, computed on demand from the required columns, and cached."""

    def __init__(self, required: RequiredColumns, answers: ModelAnswers, rows: Ints | None = None) -> None:
        self.required = required
        self.answers = answers
        self._rows = rows
        self._found: dict[str, Column] = {}

    def __len__(self) -> int:
        return len(self.required.ids) if self._rows is None else len(self._rows)

    @cached_property
    def ids(self) -> list[str]:
        """Ids of the conversations."""
        return self._of_rows(self.required.ids)

    @cached_property
    def cases(self) -> list[str]:
        """Ids of the cases of the conversations."""
        return self._of_rows(self.required.cases)

    def _of_rows(self, texts: list[str]) -> list[str]:
        return texts if self._rows is None else [texts[row] for row in self._rows.tolist()]

    def of(self, unit: ast.expr, needed: Bools) -> Column:
        """Return the column of a unit that reads conv[0] only.

        A model is asked only about conversations in `needed`.
        """
        name = ast.dump(unit)
        if uses_model(unit):
            return self._column(name, unit, needed)
        if name not in self._found:
            self._found[name] = self._column(name, unit, None)
        return self._found[name]

    def value(self, unit: ast.expr, row: int) -> Any:
        """Return the value of a unit for one conversation."""
        if not all(key in self.required for key in required_columns(unit)):
            return Failure(NotCollected("not collected"))
        leaves = {key: self._leaf(key) for key in required_columns(unit)}
        context = EvaluationContext((), self.answers)
        context.cells = {(0, key): leaf.values[leaf.codes[row]] for key, leaf in leaves.items()}
        whole = CompiledExpression(0, ast.dump(unit)) if ast.dump(unit) in leaves else read_from_cells(unit)
        return evaluate(closure(whole), context)

    def _column(self, name: str, unit: ast.expr, needed: Bools | None) -> Column:
        keys = list(required_columns(unit))
        leaves = [self._leaf(key) for key in keys]
        if keys == [name] or variable(unit) is not None:
            return Column(name, leaves[0].codes, leaves[0].values)
        codes, first = combine(leaves)
        wanted = np.unique(codes[needed]).tolist() if needed is not None else range(len(first))
        term, context = closure(read_from_cells(unit)), EvaluationContext((), self.answers)
        results: list[Any] = [Failure(NotNeeded())] * len(first)
        for code in wanted:
            row = first[code]
            context.cells = {(0, key): leaf.values[leaf.codes[row]] for key, leaf in zip(keys, leaves, strict=True)}
            results[code] = evaluate(term, context)
        return _compact(name, codes, results)

    def _leaf(self, key: str) -> Column:
        if key not in self._found:
            leaf = self.required[key]
            codes = np.array(leaf.codes, np.int64)
            self._found[key] = Column(key, codes if self._rows is None else codes[self._rows], leaf.values)
        return self._found[key]


def combine(columns: Sequence[Column]) -> tuple[Ints, Ints]:
    """Return one code for each distinct combination of column values, and the first row of each code."""
    if len(columns) == 1 and len(columns[0].codes):
        codes = columns[0].codes
        first = np.full(len(columns[0].values), len(codes), np.int64)
        np.minimum.at(first, codes, np.arange(len(codes)))
        if (first < len(codes)).all():
            return codes, first
    signature = np.zeros(len(columns[0].codes) if columns else 0, np.int64)
    top = 1
    for column in columns:
        size = len(column.values) + 1
        if top * size >= _LARGEST:
            _, signature = np.unique(signature, return_inverse=True)
            top = len(signature) + 1
        signature, top = signature * size + column.codes, top * size
    _, first, codes = np.unique(signature, return_index=True, return_inverse=True)
    return codes.astype(np.int64), first.astype(np.int64)


def open_questions(columns: Iterable[Column]) -> list[ModelQuestion]:
    """Return the questions to a model that must be answered before the columns are complete."""
    errors = (value.error for column in columns for value in column.values if type(value) is Failure)
    return [error.question for error in errors if isinstance(error, Unanswered)]


def _compact(name: str, codes: Ints, results: list[Any]) -> Column:
    """Merge codes of equal results."""
    ids: dict[Any, int] = {}
    values: list[Any] = []
    numbers = []
    for index, result in enumerate(results):
        failed = type(result) is Failure
        key = (Failure, type(result.error), str(result.error)) if failed else exact_key(result, index)
        code = ids.setdefault(key, len(values))
        if code == len(values):
            values.append(result)
        numbers.append(code)
    table = np.array(numbers, np.int64)
    return Column(name, table[codes] if len(numbers) else codes, values)
