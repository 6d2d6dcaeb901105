"""What an expression is evaluated in, and the evaluation itself."""

from collections.abc import Callable, Sequence
from typing import Any

from sparring.rules.functions.function import Ask, EvidenceNotes
from sparring.rules.limits import MAX_STEPS
from sparring.rules.recording import Recording
from sparring.rules.undecided import Failure, LimitReached, NeedsModel


class EvaluationContext:
    """The conversations in their positions, the loop variables, and the steps that are left.

    `cells` are values worked out beforehand, by position and column; `notes` is the evidence of the last evaluation.
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
        """Take so many steps of those that are left."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitReached("the evaluation took too many steps")


Term = Callable[[EvaluationContext], Any]


def no_model(prompt: str, answers: tuple[str, ...], /, **fields: str) -> str:
    """Ask no model, where there is none."""
    raise NeedsModel("needs a model")


def evaluate(term: Term, context: EvaluationContext) -> Any:
    """The value of an expression, or the Failure that stands for it."""
    context.steps = MAX_STEPS
    if context.local:
        context.local = {}
    if context.notes:
        context.notes = EvidenceNotes()
    try:
        return term(context)
    except Exception as error:  # noqa: BLE001 - whatever an author's expression or a plug-in raises is that expression's result
        error.__traceback__ = error.__context__ = None
        return Failure(error)
