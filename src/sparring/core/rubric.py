"""What a judge is asked."""

import hashlib
from typing import Literal

from pydantic import NonNegativeInt

from sparring.core.value import Value, to_json

Shown = Literal["goals", "variables", "tools", "results", "outputs", "ending"]
"""What a judge is shown beside the words: what the user wanted and with which values, the tools that were used, what
each of them gave back last, the values that were read, and how it ended."""


class Scale(Value):
    """Whole numbers from the worst to the best."""

    worst: NonNegativeInt = 1
    best: NonNegativeInt = 3

    def __str__(self) -> str:
        return f"{self.worst}-{self.best}"

    def __contains__(self, score: object) -> bool:
        return isinstance(score, int) and self.worst <= score <= self.best


class Rubric(Value):
    """What a judge is asked about a conversation: the criteria, the scale, from which score on it passes, and in which
    language to comment.

    `prompt` is the whole of what the judge is told, with `{{rubric}}` and other fields still open; it is kept with the
    rubric, so that a score can always be traced to the words that asked for it.
    """

    name: str
    text: str
    scale: Scale = Scale()
    pass_mark: NonNegativeInt = 2
    language: str = "English"
    shown: tuple[Shown, ...] = ("goals", "variables", "tools", "results", "outputs", "ending")
    prompt: str = ""

    @property
    def hash(self) -> str:
        """The SHA-256 of everything in it: equal hashes ask for exactly the same."""
        return hashlib.sha256(to_json(self)).hexdigest()
