"""Why an expression has no value. Whatever Python itself raises, such as a TypeError, is a reason too."""

from dataclasses import dataclass


class Undecided(Exception):
    """An expression has no value, for a reason of ours."""


class Missing(Undecided):
    """This conversation has no such variable, although others have it."""


def missing(name: str) -> Missing:
    """What is told where a conversation does not have this variable, and how a rule leaves it out."""
    return Missing(f"{name!r} is missing in this conversation: hasattr(conv[0], {name!r}) in `when` leaves it out")


class LimitReached(Undecided):
    """An evaluation took too many steps, or made something too large."""


class NoTools(Undecided):
    """The chatbot does not report which tools it uses, so their absence means nothing."""


class NeedsExtra(Undecided):
    """A function needs a package that is not installed."""


class NeedsModel(Undecided):
    """A function needs a language model, and none was given."""


class ModelFailed(Undecided):
    """A language model was asked and gave no usable answer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Stands where a value would be: why there is none."""

    error: Exception

    def __bool__(self) -> bool:
        return False


def reason(error: Exception) -> str:
    """One line for people. A few of Python's own messages need the kind of error to be understood."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, KeyError):
        return f"there is no {text}"
    return text or type(error).__name__
