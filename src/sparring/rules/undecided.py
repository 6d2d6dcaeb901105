"""Reasons for an expression without a value. Python's own exceptions are reasons, too."""

import re
from dataclasses import dataclass

_UNCOMPARABLE = re.compile(r"'(\S+)' not supported between instances of '(\w+)' and '(\w+)'")
_KINDS = {"NoneType": "a missing value", "str": "a text", "int": "a number", "float": "a number", "list": "a list"}


class Undecided(Exception):
    """An expression has no value, for a reason of the rule language."""


class Missing(Undecided):
    """The conversation lacks a name that others have, so a rule about it does not apply."""


def missing(name: str) -> Missing:
    """Return the error for a name that the conversation does not define."""
    return Missing(f"no {name!r} here")


class LimitReached(Undecided):
    """An evaluation took too many steps or built a value that is too large."""


class NoTools(Undecided):
    """The chatbot does not report its tool calls, so their absence means nothing."""


class NoState(Undecided):
    """The chatbot does not show its state, or it could not be read."""


class GoldenActionFailed(NoState):
    """A golden action failed on a fresh copy of the state: the author of the case is to blame."""


class NeedsExtra(Undecided):
    """A function needs a package that is not installed."""


class NeedsModel(Undecided):
    """A function needs a language model, and none was given."""


class ModelFailed(Undecided):
    """A language model was asked and gave no usable answer."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Takes the place of a value that could not be computed, with the reason."""

    error: Exception

    def __bool__(self) -> bool:
        return False


def is_missing(value: object) -> bool:
    """Return True for a Failure because of a name that the conversation does not define."""
    return type(value) is Failure and isinstance(value.error, Missing)


def reason(error: Exception) -> str:
    """Return the error in one line. Some of Python's messages are useless without the kind of error."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, KeyError):
        return f"there is no {text}"
    if found := _UNCOMPARABLE.fullmatch(text):
        left, right = (_KINDS.get(kind, kind) for kind in found.group(2, 3))
        return f"{found[1]} cannot compare {left} with {right}"
    return text or type(error).__name__
