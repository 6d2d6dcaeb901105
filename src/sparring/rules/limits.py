"""Limits of rules: what a check reports and counts, and how large a value may become."""

from dataclasses import dataclass
from typing import Any

from sparring.rules.undecided import LimitReached


@dataclass(frozen=True, slots=True)
class EvaluationLimits:
    """Limits of a check. `examples` and `culprits` are the numbers reported for each rule.

    `questions` is the number of concurrent model calls. A rule that needs more than `candidates` tuples evaluated one
    by one is estimated from `samples` of them, or from fewer if these exceed `sample_steps` steps.
    """

    examples: int = 10
    culprits: int = 20
    questions: int = 8
    candidates: int = 30_000_000
    samples: int = 200_000
    sample_steps: int = 3_000_000


MAX_TEXT = 1_000_000
MAX_ITEMS = 10_000
MAX_BITS = 4096
MAX_STEPS = 200_000

_CONTAINERS = (list, tuple, dict, set, frozenset)


def bounded(value: Any) -> Any:
    """Return `value`. Raise LimitReached if it is too large."""
    kind = type(value)
    if kind is str:
        if len(value) > MAX_TEXT:
            raise LimitReached(f"a text longer than {MAX_TEXT:,} characters")
    elif kind is int:
        if value.bit_length() > MAX_BITS:
            raise LimitReached(f"an integer of more than {MAX_BITS} bits")
    elif kind in _CONTAINERS:
        _bounded_tree(value)
    elif kind is complex:
        raise TypeError("complex numbers are not supported")
    return value


def cost(value: Any) -> int:
    """Return the steps needed to walk through a value once; 0 for values without a size."""
    kind = type(value)
    if kind is str:
        return len(value) // 50
    return len(value) // 10 if kind in _CONTAINERS else 0


def _bounded_tree(value: Any) -> None:
    """Count items as in a tree, shared parts every time, because printing and hashing walk them so."""
    seen, todo = 0, [value]
    while todo:
        container = todo.pop()
        seen += len(container)
        parts = () if seen > MAX_ITEMS else container.values() if type(container) is dict else container
        for part in parts:
            if type(part) in _CONTAINERS:
                todo.append(part)
            elif type(part) is str:
                seen += len(part) // 100
        if seen > MAX_ITEMS:
            raise LimitReached(f"a collection of more than {MAX_ITEMS:,} items")
