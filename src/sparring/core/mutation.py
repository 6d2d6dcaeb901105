"""Runs over mutants of a chatbot, and conversations with mutants that the chatbot was asked for."""

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.value import Value

Live = Literal["never", "needed"]
"""Whether the chatbot may be asked: never, or by mutants that need it."""


class MutationRun(Value):
    """A run over mutants of a batch. The same choices give the same mutants.

    `operators` are names or classes, all if there are none. A random chatbot has `confirm` conversations of each case
    without a fault. In `order` 2, pairs of faults are played after the single ones.
    """

    id: str
    batch: str
    operators: tuple[str, ...] = ()
    budget: PositiveInt = 200
    seed: NonNegativeInt = 0
    live: Live = "never"
    confirm: PositiveInt = 3
    allow_failing: bool = False
    order: Literal[1, 2] = 1


class Edit(Value):
    """A change by a mutant: the index of the message, and the message before and after."""

    at: int
    before: Message
    after: Message


class MutantPlay(Value):
    """A conversation with a mutant, and what the mutant changed."""

    conversation: Conversation
    changes: tuple[Edit, ...] = ()
