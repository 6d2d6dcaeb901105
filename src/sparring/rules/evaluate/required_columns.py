"""Columns that must be collected while the recordings stream by, for rules over several conversations.

A required column is a variable, or a function of the whole conversation. All other columns are computed from these, so
that texts need not be kept.
"""

import ast
from array import array
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from sparring.rules.equality import exact_key
from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.compiled_rule import of_conversation
from sparring.rules.evaluate.compiler import closure
from sparring.rules.evaluate.model_questions import ModelQuestion, Unanswered
from sparring.rules.language.expressions import uses_model, variable, variables
from sparring.rules.undecided import Failure, missing


class RequiredColumn:
    """Collected values of one expression: the distinct values, and their index for each conversation."""

    def __init__(self, node: ast.expr) -> None:
        self.codes = array("i")
        self.values: list[Any] = []
        self.asks = uses_model(node)
        found = variable(node)
        self._name = found[1] if found else ""
        self._term = closure(node)
        self._ids: dict[Hashable, int] = {}

    def see(self, contexts: Sequence[EvaluationContext]) -> None:
        """Collect the values of some conversations."""
        values = self._variables(contexts) if self._name else (evaluate(self._term, context) for context in contexts)
        ids = self._ids
        for value in values:
            key = value if type(value) is str else self._key(value)
            code = ids.get(key)
            if code is None:
                code = ids[key] = len(self.values)
                self.values.append(value)
            self.codes.append(code)

    def _variables(self, contexts: Sequence[EvaluationContext]) -> Iterator[Any]:
        name, absent = self._name, Failure(missing(self._name))
        for context in contexts:
            recording = context.recordings[0]
            try:
                yield recording.names[name]
            except KeyError:
                yield recording.value(name) if recording.has(name) else absent

    def _key(self, value: Any) -> Hashable:
        if type(value) is Failure:
            return Failure, type(value.error), str(value.error)
        return exact_key(value, len(self.codes))

    def open_question(self, context: EvaluationContext) -> ModelQuestion | None:
        """Return the question to be answered before the value is known, or None."""
        value = evaluate(self._term, context)
        return value.error.question if isinstance(value, Failure) and isinstance(value.error, Unanswered) else None

    def close(self) -> None:
        """Free the index of distinct values."""
        self._ids = {}


class RequiredColumns:
    """Required columns of all rules, and the ids, cases and repeats of the conversations."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.cases: list[str] = []
        self.repeats: list[int] = []
        self._columns: dict[str, RequiredColumn] = {}

    def __getitem__(self, key: str) -> RequiredColumn:
        return self._columns[key]

    def __contains__(self, key: str) -> bool:
        return key in self._columns

    def add(self, unit: ast.expr) -> None:
        """Require the columns that a unit, which reads conv[0] only, is computed from."""
        for key, node in required_columns(unit).items():
            if key not in self._columns:
                self._columns[key] = RequiredColumn(node)

    def see(self, contexts: Sequence[EvaluationContext]) -> None:
        """Collect some conversations in every column."""
        for context in contexts:
            recording = context.recordings[0]
            self.ids.append(recording.id)
            self.cases.append(str(recording.names.get("conversation_case") or recording.id))
            repeat = recording.names.get("conversation_repeat")
            self.repeats.append(repeat if isinstance(repeat, int) else 1)
        for column in self._columns.values():
            column.see(contexts)

    @property
    def asks(self) -> bool:
        """True if a language model may have to be asked before a conversation can be collected."""
        return any(column.asks for column in self._columns.values())

    def open_questions(self, context: EvaluationContext) -> list[ModelQuestion]:
        """Return the questions to be answered before a conversation can be collected."""
        found = (column.open_question(context) for column in self._columns.values() if column.asks)
        return [question for question in found if question]

    def close(self) -> None:
        """Free what only collecting needed."""
        for column in self._columns.values():
            column.close()


def required_columns(unit: ast.expr) -> dict[str, ast.expr]:
    """Return the columns of a unit: its variables, or the unit itself if it needs the conversation."""
    if of_conversation(unit):
        return {ast.dump(unit): unit}
    return {name: node for node, _, name in variables(unit)}
