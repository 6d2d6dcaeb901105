"""Evaluation context of an expression, and its evaluation."""

from collections.abc import Callable, Sequence
from typing import Any

from sparring.rules.functions.function import Ask, EvidenceNotes
from sparring.rules.limits import MAX_STEPS
from sparring.rules.recording import Recording
from sparring.rules.undecided import Failure, LimitReached, NeedsModel


class EvaluationContext:
    """Conversations by position, loop variables, and remaining steps of one evaluation.

    `cells` holds precomputed values by position and column; `notes` the evidence of the last evaluation.
    """

    __slots__ = ("ask", "cells", "local", "notes", "recordings", "steps")

    def __init__(self, recordings: Sequence[Recording] = (), ask: Ask | None = None) -> None:
        self.recordings = recordings
        self.ask = ask or no_model
        self.local: dict[str, Any] = {}
        self.steps = MAX_STEPS
        self.notes = EvidenceNotes()
        self.cells: dict[tuple[int, str], Any] = {}

    def consume_steps(self, steps: int) -> None:
        """Consume steps. Raise LimitReached if none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitReached("the evaluation took too many steps")


Term = Callable[[EvaluationContext], Any]


def no_model(prompt: str, answers: tuple[str, ...], /, **fields: str) -> str:
    """Raise NeedsModel: no model is configured."""
    raise NeedsModel("needs a model")


def evaluate(term: Term, context: EvaluationContext) -> Any:
    """Return the value of an expression, or a Failure."""
    context.steps = MAX_STEPS
    if context.local:
        context.local = {}
    if context.notes:
        context.notes = EvidenceNotes()
    try:
        return term(context)
    except Exception as error:  # noqa: BLE001 - any exception of an expression or a plug-in is the result of that expression
        error.__traceback__ = error.__context__ = None
        return Failure(error)
