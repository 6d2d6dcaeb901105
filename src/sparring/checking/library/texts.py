"""Functions over texts."""

from collections.abc import Sequence
from typing import Any, Literal

from sparring.checking.function import function
from sparring.parsing.regex import compiled


@function()
def length(x: str | Sequence[Any], kind: Literal["min", "max", "average"] = "min") -> float:
    """How many characters a text has; of a list of texts, the shortest, the longest or the average."""
    if kind not in ("min", "max", "average"):
        raise ValueError(f"length() knows 'min', 'max' and 'average', not {kind!r}")
    lengths = [len(x)] if isinstance(x, str) else [len(text) for text in x]
    if not lengths:
        raise ValueError("length() of an empty list")
    if kind == "average":
        return sum(lengths) / len(lengths)
    return min(lengths) if kind == "min" else max(lengths)


@function(patterns=("pattern",))
def matches(pattern: str, text: str) -> bool:
    """Whether a regular expression is found in a text: `matches('(?i)refund', answer)`."""
    return compiled(pattern).search(text) is not None
