"""What can go wrong.

SparringError
├── InputError            bad input, found before the first model call; carries every problem at once
├── ModelError            a language model did not answer as asked
│   ├── ModelTimeout      not within the time it had
│   ├── ModelUnavailable  not reachable or overloaded, after all retries
│   ├── ModelRejected     it refused the request (bad request, key, or rights); asking again is useless
│   └── BadCompletion     it answered, but not with what was asked for
├── ChatbotError          the chatbot under test answered with an error, or with nonsense
│   └── ChatbotTimeout    it took too long
├── NotRecorded           a replay is asked for what was never recorded, or a recording cannot be written
├── UserError             the simulated user could not go on
│   └── UserStuck         it could not make sense of what the chatbot said
└── StoreError            the store could not be read or written
    └── NotKept           one conversation is such that it could not be read back
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator

from sparring.core.text import visible
from sparring.core.value import Value


class SparringError(Exception):
    """Anything Sparring reports in one sentence; `hint` says what to do about it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def told(self) -> str:
        """What is wrong, and what to do about it, in one line."""
        return f"{self} ({self.hint})" if self.hint else str(self)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - _END]} ... {text[-_END:]}"


LONGEST = 1000
"""How many characters of what is wrong are told: what people wrote may stand in it, and be of any length."""

_END = 200
Told = Annotated[str, AfterValidator(_cut)]


class Problem(Value):
    """One thing wrong with what someone wrote: where, what, and what was meant."""

    file: Told = ""
    line: int | None = None
    column: int | None = None
    path: Told = ""
    message: Told
    hint: Told = ""

    def __str__(self) -> str:
        """In one line, in which nothing that somebody wrote can pass for a line of ours."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part not in ("", None))
        text = ": ".join(part for part in (place, self.path, self.message) if part)
        return visible(f"{text} ({self.hint})" if self.hint else text)


class InputError(SparringError):
    """Something a person wrote cannot be used; lists every problem, not only the first."""

    def __init__(self, problems: str | Problem | Iterable[Problem], *, hint: str = "") -> None:
        if isinstance(problems, str):
            problems = Problem(message=problems)
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)), hint=hint)


class ModelError(SparringError):
    """A language model did not answer as asked.

    `charged` attempts may have to be paid for all the same, and of a call that was not `made` there was none.
    `pointless` says that other calls of this model will come to the same.
    """

    charged = 0
    made = True
    pointless = False


class ModelTimeout(ModelError):
    """A language model did not answer in time."""


class ModelUnavailable(ModelError):
    """A language model could not be reached, or stayed overloaded, through all retries."""


class ModelRejected(ModelError):
    """A language model refused the request: a bad request, a wrong key, or missing rights."""


class BadCompletion(ModelError):
    """A language model answered, but not with what was asked for."""


class NotRecorded(SparringError):
    """What is asked of a model is not in the recording, or cannot be added to it; nobody who talks is to blame."""


class ChatbotError(SparringError):
    """The chatbot under test answered with an error, or with something that is not an answer."""


class ChatbotTimeout(ChatbotError):
    """The chatbot under test took too long."""


class UserError(SparringError):
    """The simulated user could not go on; this says nothing about the chatbot."""


class UserStuck(UserError):
    """The simulated user could not make sense of what the chatbot said."""


class StoreError(SparringError):
    """The store could not be read or written."""


class NotKept(StoreError):
    """A conversation holds something that could not be read back, and is not kept; nothing is wrong with the store."""
