"""The error tree of Sparring.

SparringError
├── InputError                   invalid input, found before the first model call; carries all problems
├── ModelError                   a language model gave no usable answer
│   ├── ModelTimeout             no answer before the deadline
│   ├── ModelUnavailable         unreachable or overloaded after all retries
│   ├── ModelRejected            the request was rejected (bad request, key or permissions); a retry is useless
│   └── BadCompletion            the answer does not have the requested form
├── ChatbotError                 the chatbot under test returned an error or an invalid reply
│   ├── ChatbotTimeout           no reply before the timeout
│   ├── ChatbotUnreachable       no server answers, or it rejects the caller
│   └── ProviderFailed           the provider of the chatbot's model failed: the chatbot is not to blame
├── NotRecorded                  a call is missing from a recording, or a recording cannot be written
├── UserError                    the simulated user could not continue
│   └── UserStuck                the simulated user did not understand the chatbot
└── StoreError                   the store could not be read or written
    └── UnstorableConversation   one conversation could not be read back if it were stored
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

from pydantic import AfterValidator

from sparring.core.text import visible
from sparring.core.usage import Usage
from sparring.core.value import Value


class SparringDeprecationWarning(FutureWarning):
    """A warning about an old spelling that will be removed. Visible by default."""


class SparringError(Exception):
    """An error that is reported in one sentence. `hint` says what to do about it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def one_line(self) -> str:
        """Message and hint in one line."""
        return f"{self} ({self.hint})" if self.hint else str(self)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - _TAIL]} ... {text[-_TAIL:]}"


MAX_LENGTH = 1000
"""Maximum characters of each text in a problem, because it may quote user input of any length."""

_TAIL = 200
ShortText = Annotated[str, AfterValidator(_shorten)]


class Problem(Value):
    """One problem in a file or value that a user wrote: its position, a message and a hint."""

    file: ShortText = ""
    line: int | None = None
    column: int | None = None
    path: ShortText = ""
    message: ShortText
    hint: ShortText = ""

    def __str__(self) -> str:
        """Return the problem in one line, with control characters of quoted input escaped."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part not in ("", None))
        text = ": ".join(part for part in (place, self.path, self.message) if part)
        return visible(f"{text} ({self.hint})" if self.hint else text)


class InputError(SparringError):
    """Invalid input from a user. It lists every problem, not only the first."""

    def __init__(self, problems: str | Problem | Iterable[Problem], *, hint: str = "") -> None:
        if isinstance(problems, str):
            problems = Problem(message=problems)
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)), hint=hint)


def hinted(error: InputError) -> tuple[Problem, ...]:
    """Return the problems of an error, each with its own hint or that of all."""
    return tuple(each.model_copy(update={"hint": each.hint or error.hint}) for each in error.problems)


@contextmanager
def collected(problems: list[Problem]) -> Iterator[None]:
    """Add the problems of an `InputError` in the block to the list."""
    try:
        yield
    except InputError as error:
        problems += hinted(error)


class ModelError(SparringError):
    """A language model gave no usable answer.

    `charged` is the number of attempts that may be billed all the same, `usage` what their useless answers state.
    `pointless` is True if further calls of this model will fail the same way. `infrastructure` is True if the provider
    failed or rejects the caller, so that neither the model nor the request is to blame.
    """

    charged = 0
    usage: Usage | None = None
    pointless = False
    infrastructure = False


class ModelTimeout(ModelError):
    """A language model did not answer before the deadline."""

    infrastructure = True


class ModelUnavailable(ModelError):
    """A language model was unreachable or overloaded after all retries."""

    infrastructure = True


class ModelRejected(ModelError):
    """A language model rejected the request: invalid request, wrong key or missing permissions."""


class BadCompletion(ModelError):
    """A language model answered, but not in the requested form."""


class NotRecorded(SparringError):
    """A call is missing from the recording or cannot be added to it. No player is to blame."""


class ChatbotError(SparringError):
    """The chatbot under test returned an error or an invalid reply."""


class ChatbotTimeout(ChatbotError):
    """The chatbot under test did not reply before the timeout."""


class ChatbotUnreachable(ChatbotError):
    """No server answers at the chatbot's address, or it rejects the caller.

    `infrastructure` is True if a chatbot that answered before is not to blame: the server rejects the caller's key, or
    this machine cannot start the chatbot's program.
    """

    def __init__(self, message: str, *, hint: str = "", infrastructure: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.infrastructure = infrastructure


class ProviderFailed(ChatbotError):
    """The provider of the model that plays the chatbot failed. The chatbot is not to blame."""


class UserError(SparringError):
    """The simulated user could not continue, which is no evidence about the chatbot."""


class UserStuck(UserError):
    """The simulated user did not understand the chatbot."""


class StoreError(SparringError):
    """The store could not be read or written."""


class UnstorableConversation(StoreError):
    """A conversation contains data that could not be read back. The store itself works."""


class ConversationsFailed(SparringError, AssertionError):
    """Conversations of a batch failed or are undecided. Test runners report it as a failed assertion."""


class SparringWarning(UserWarning):
    """A warning about a run that continues, such as a name that another batch has."""
