"""What a model was found not to take: learned from its refusals, once each, and kept for later calls."""

import re
from collections.abc import Collection
from typing import Any

from sparring.models.refusals import Refusal

_OPTIONAL = ("max_tokens", "max_completion_tokens", "temperature", "seed")
_NEWER_NAMES = {"max_tokens": "max_completion_tokens"}
_NOT_TAKEN = re.compile(
    r"unsupported|not\s+support|n't\s+support|not\s+(?:permitted|allowed|accepted|recognized|available|a\s+valid)"
    r"|unknown|unrecognized|unexpected|extra_forbidden|deprecated|only\s+the\s+default",
    re.IGNORECASE,
)


def not_taken(refusal: Refusal) -> bool:
    """Whether it refuses something for being there, rather than for its value."""
    return refusal.changeable and _NOT_TAKEN.search(refusal.words) is not None


class Quirks:
    """The optional parameters one model does not take; `max_tokens` is first tried under its newer name."""

    def __init__(self) -> None:
        self._renamed: dict[str, str] = {}  # to an empty name, what is left out

    def apply(self, body: dict[str, Any]) -> None:
        """Drop or rename what the model does not take."""
        for name, renamed in self._renamed.items():
            if name in body:
                value = body.pop(name)
                if renamed:
                    body[renamed] = value

    def learn(self, sent: Collection[str], refusal: Refusal) -> str:
        """What becomes of a parameter that was sent and that the refusal names, in words; empty if it names none.

        A refusal of what has been learned meanwhile, from a call made at the same time, counts as learned from.
        """
        if not not_taken(refusal):
            return ""
        for name in _OPTIONAL:
            if name in sent and re.search(rf"\b{name}\b", refusal.words):
                self._renamed[name] = renamed = _NEWER_NAMES.get(name, "")
                return f"going on with {renamed} for {name}" if renamed else f"going on without {name}"
        return ""
